# src/sync/post.c: work that is added while somebody waits is not counted
/^int units_add(/,/^}/ s/a64_add_[a-z_]*(&units->owed, count);/(void)0;/

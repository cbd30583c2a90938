# SPDX-License-Identifier: Apache-2.0
s/return \(mete_group\)\{task \? acct_group_id\(task_group\(task\)\)/return (mete_group){task \&\& !task ? acct_group_id(task_group(task))/

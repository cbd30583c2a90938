# SPDX-License-Identifier: Apache-2.0
# A scratch copy of the tree, in which faults are planted, built and hunted.
package Mutate;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use POSIX qw(:sys_wait_h setpgid);

# A case that takes so long hangs: none takes half of it.
my $CASE_S = 10;

my $root = abs_path(dirname(abs_path(__FILE__)) . '/../..');

# Copy what is tracked or would be; set up a build of it.
sub new {
	my ($class) = @_;
	my $scratch = tempdir('mete-mutate-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	system("cd '$root' && git ls-files -co --exclude-standard -z"
		. " | xargs -0 -r sh -c 'for f; do [ ! -f \"\$f\" ] ||"
		. " cp -a --parents \"\$f\" \"$scratch\"; done' sh") == 0
		or die "cannot copy $root\n";
	my $self = bless {scratch => $scratch, build => "$scratch/build",
		owner => $$}, $class;
	$self->quietly("meson setup -Dchecks=true '$self->{build}' '$scratch'")
		or die "meson setup:\n", $self->log;
	return $self;
}

sub root { return $root }
sub scratch { return $_[0]{scratch} }

sub log {
	my ($self) = @_;
	return slurp("$self->{scratch}/log");
}

sub quietly {
	my ($self, $command) = @_;
	return system("$command >'$self->{scratch}/log' 2>&1 </dev/null") == 0;
}

sub slurp {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	return scalar <$in> // '';
}

sub write_file {
	my ($self, $file, $text) = @_;
	open my $out, '>', "$self->{scratch}/$file" or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
}

sub build {
	my ($self, @targets) = @_;
	return $self->quietly("ninja -C '$self->{build}' @targets");
}

# Names of the test programs: path below tests/ without .c => its target.
sub tests {
	my ($self) = @_;
	my %tests;
	for (split /\n/, `'$self->{scratch}/tests/list'`) {
		s/\.c$//;
		(my $target = $_) =~ s/[^A-Za-z0-9]/_/g;
		$tests{$_} = "tests/$target";
	}
	return %tests;
}

# Run a test program; true if it passes within the limit.  The first case that
# fails ends it.
sub passes {
	my ($self, $target, $limit_s) = @_;
	my $end = time + $limit_s;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		setpgid(0, 0);
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$self->{scratch}/log";
		open STDERR, '>&', \*STDOUT;
		$ENV{METE_TEST_LIMIT_S} = $CASE_S;
		exec "$self->{build}/$target" or POSIX::_exit(127);
	}
	setpgid($pid, $pid);
	while (waitpid($pid, WNOHANG) == 0) {
		if (time >= $end || $self->log =~ /^not ok/m) {
			kill 'KILL', -$pid;
			waitpid $pid, 0;
			return 0;
		}
		select undef, undef, undef, 0.02;
	}
	my $ok = $? == 0;
	kill 'KILL', -$pid;
	return $ok;
}

1;

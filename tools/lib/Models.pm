# SPDX-License-Identifier: Apache-2.0
# The models of tests/model/, the tagged operations of src/, and what is known
# of the two: which weaker order which model must notice.
#
# A model says in its opening comment what it is to be run with, one line each:
#
#	covers: FILE...          sources whose tags it executes
#	plants: NAME...          wrong steps that it must notice
#	drops: FILE FUNCTION     leave out that function's first store
#
# tests/model/orders says what becomes of each weakening.
package Models;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use POSIX qw(:sys_wait_h);

our @EXPORT_OK = qw(models tags weakenings verdicts no_model run_all results
	build_jobs weaken must_pass must_fail first_store there violations);

my $root = abs_path(dirname(abs_path(__FILE__)) . '/../..');

# The seconds that one run may take.
my $LIMIT_S = 100;

sub slurp {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	return scalar <$in> // '';
}

# Is the model checker installed?
sub there {
	return system('printf "#include <relacy/relacy.hpp>\n" |'
		. ' g++ -E -x c++ - >/dev/null 2>&1') == 0;
}

sub model {
	my ($path) = @_;
	my %model = (name => basename($path, '.cc'), covers => [], plants => [],
		drops => []);
	my ($opening) = slurp($path) =~ m{^.*?\n(/\*.*?\*/)}s;
	while ($opening =~ /^ \*\t(covers|plants|drops): (.*)$/gm) {
		push @{$model{$1}}, $1 eq 'drops' ? $2 : split / /, $2;
	}
	die "$path covers nothing\n" unless @{$model{covers}};
	return \%model;
}

# All models, or those named.
sub models {
	my %wanted = map { $_ => 1 } @_;
	my @models = map { model($_) } sort glob "$root/tests/model/*.cc";
	@models = grep { delete $wanted{$_->{name}} } @models if @_;
	die 'no such model: ', join(' ', sort keys %wanted), "\n" if %wanted;
	return @models;
}

my $operation = qr/\ba\w+?_(load|store|exchange|cas|add|or|own_set|own_add)
	(?:_(?:acquire|release|acq_rel|seq_cst))?\(/x;

# ID -> file, line of the operation, what it does, its order.
sub tags {
	my %tags;
	for (split /\n/, `'$root/tools/check-ordering' --list`) {
		next unless /^(\S+)\s+(\S+)\s+(\S+):(\d+)\s+pairs /;
		my ($id, $order, $file, $line) = ($1, $2, $3, $4);
		my @lines = split /\n/, slurp("$root/$file");
		$line++ while $lines[$line - 1] !~
			/_(?:acquire|release|acq_rel|seq_cst|own_set|own_add)\(/;
		my ($what) = $lines[$line - 1] =~ $operation;
		die "$file:$line: what does $id do?\n" unless $what;
		$tags{$id} = {id => $id, order => $order, what => $what,
			file => $file, line => $line};
	}
	die "no tags\n" unless %tags;
	return \%tags;
}

# One step down.
sub weakenings {
	my ($tag) = @_;
	return $tag->{what} eq 'load' ? 'acquire'
		: $tag->{what} eq 'store' ? 'release' : 'acq_rel'
		if $tag->{order} eq 'seq_cst';
	return qw(acquire release) if $tag->{order} eq 'acq_rel';
	return 'relaxed';
}

# tests/model/orders: {"ID ORDER" => {by, stands, reason}}, and, for what no
# model has, [[pattern of IDs or files, reason]...].
sub verdicts {
	my (%known, @none);
	my $line = 0;
	for (split /\n/, slurp("$root/tests/model/orders")) {
		$line++;
		next if /^\s*(?:#|$)/;
		if (/^(\S+) (\S+) caught (\S+)$/) {
			$known{"$1 $2"} = {by => $3};
		} elsif (/^(\S+) (\S+) stands (\S+): (.{9,})$/) {
			$known{"$1 $2"} = {by => $3, stands => 1, reason => $4};
		} elsif (/^none (\S+): (.{9,})$/) {
			push @none, [$1, $2];
		} else {
			die "tests/model/orders:$line: $_\n";
		}
	}
	return (\%known, \@none);
}

# The entry of the list that says why no model has a tag.
sub no_model {
	my ($tag, $none) = @_;
	for my $entry (@$none) {
		(my $expression = quotemeta $entry->[0]) =~ s/\\\*/.*/g;
		return $entry if $tag->{file} =~ /^$expression$/
			|| $tag->{id} =~ /^$expression$/;
	}
	return undef;
}

# The line of the first store of a function.
sub first_store {
	my ($path, $function) = @_;
	my ($line, $inside) = (0, 0);
	for (split /\n/, slurp("$root/$path")) {
		$line++;
		$inside = 1 if /^\w.*\b\Q$function\E\(/;
		return $line if $inside && /\ba\w+_(?:store_\w+|own_set)\(/;
		return 0 if $inside && /^\}/;
	}
	return 0;
}

# What a model is called with to weaken a tagged operation.
sub weaken {
	my ($tag, $order) = @_;
	(my $short = $tag->{file}) =~ s{^src/}{};
	return ('weaken', $short, $tag->{line}, $order);
}

my ($number, $failed) = (0, 0);

sub result {
	my ($ok, $name, $text) = @_;
	$failed++ unless $ok;
	printf "%sok %d - %s\n", $ok ? '' : 'not ', ++$number, $name;
	print map { "# $_\n" } split /\n/, $text // '';
	STDOUT->flush;
}

# The plan; how many have failed.
sub results {
	print "1..$number\n";
	return $failed;
}

# Run jobs, as many at once as there are CPUs; each [name, command, judge], the
# judge gets status and output and gives (ok, text).  How many failed.
sub run_all {
	my ($builds, @jobs) = @_;
	chomp(my $most = `nproc`);
	my (%running, @done, $before);
	my ($next, $shown) = (0, 0);
	$before = $failed;
	make_path($builds);
	while ($shown < @jobs) {
		while ($next < @jobs && keys %running < $most) {
			my $log = "$builds/job-$next.log";
			my $pid = fork // die "fork: $!\n";
			if (!$pid) {
				open STDOUT, '>', $log or die "$log: $!\n";
				open STDERR, '>&', \*STDOUT;
				alarm $LIMIT_S;
				exec @{$jobs[$next][1]} or POSIX::_exit(127);
			}
			$running{$pid} = $next++;
		}
		my $pid = waitpid -1, 0;
		next unless defined $running{$pid};
		$done[delete $running{$pid}] = $?;
		while ($shown < @jobs && defined $done[$shown]) {
			my ($name, undef, $judge) = @{$jobs[$shown]};
			my $text = slurp("$builds/job-$shown.log");
			my ($ok, $says) = $judge->($done[$shown], $text);
			result($ok, $name, $says);
			$shown++;
		}
	}
	return $failed - $before;
}

sub violations {
	my ($text) = @_;
	return join "\n", grep { /^violated:|^[A-Z][A-Z ]{5,}/ } split /\n/, $text;
}

sub must_pass {
	my ($status, $text) = @_;
	return ($status == 0, $text);
}

sub must_fail {
	my ($status, $text) = @_;
	return ($status == 256 && $text =~ /^violated:/m,
		$status == 256 ? violations($text) : "status $status\n$text");
}

sub build_jobs {
	my ($builds, @models) = @_;
	return map { ["$_->{name} compiles", ['g++', '-std=gnu++17', '-O2',
		# Sources in C: pointers that come from void * without a cast.
		'-fpermissive', '-w',
		'-DMETE_ATOMIC_HEADER="model/atomic.h"',
		"-I$root/tests", "-I$root/tests/model/under", "-I$root/include",
		"-I$root/src", "$root/tests/model/$_->{name}.cc",
		'-o', "$builds/$_->{name}"], \&must_pass] } @models;
}

1;

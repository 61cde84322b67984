/* Templates for corners that chance rarely reaches, one a line. They are rendered in several contexts. */
export const CORNERS: readonly string[] = String.raw`
{{ 1_0 }} {{ 0x_ff }} {{ 0b1_0 }} {{ 0o17 }} {{ 1e3 }} {{ 1.5e-3 }} {{ 1_0.5_0 }} {{ 00 }} {{ 0 }} {{ 1E+2 }}
{{ 01 }}
{{ 1. }}
{{ .5 }}
{{ 1.real }} {{ 1.5.real }} {{ (1).real }} {{ 5 .real }}
{{ 'a' "b" 'c' }} {{ "it's" }} {{ 'say "x"' }} {{ '\'' }} {{ "\"" }}
{{ '\n\t\r\a\b\f\v\\' }} {{ '\x41\u0042\U00000043\101\0' }} {{ '\d\w\8' }} {{ 'a\
b' }}
{{ '\x4' }}
{{ '\u12' }}
{{ '\é' }}{{ 'é\n' }}
{{ 'unclosed }}
{{ -2**2 }} {{ 2**-1 }} {{ 2**3**2 }} {{ -2 ** -2 }} {{ 2 * 3 ** 2 }} {{ (2) ** 0.5 }} {{ 0 ** 0 }} {{ 0.0 ** 0 }}
{{ 0 ** -1 }}
{{ 10 // 3 * 3 + 10 % 3 }} {{ 7 - 3 - 2 }} {{ 2 + 3 ~ 4 + 5 }} {{ 1 ~ 2 * 3 }} {{ 8 / 2 / 2 }} {{ 8 // 3 // 2 }}
{{ -7 // 2 }} {{ 7 // -2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ -7.5 // 2 }} {{ 7.5 % -2 }} {{ -0.0 // 1 }} {{ 0 // -5 }} {{ 0 / -5 }} {{ 1e300 * 1e10 }} {{ -1 * 0.0 }}
{{ 1 / 3 }} {{ 2 / 3 }} {{ 1e16 / 3 }} {{ 10 ** 20 / 3 }} {{ 10 ** 25 // 7 }} {{ (10 ** 25) % 7 }} {{ 10 ** 25 * 1.0 }} {{ 10 ** 400 / 10 ** 399 }}
{{ 10 ** 400 * 1.0 }}
{{ 10 ** 400 / 3 }}
{{ 12345678901234567890 + 1 }} {{ 9007199254740992 + 1 }} {{ 9007199254740993 * 3 }} {{ -9007199254740993 - 5 }} {{ 2 ** 64 - 1 }} {{ 2 ** 100 % 97 }} {{ (2 ** 53 + 1) // 2 }}
{{ 9007199254740993 == 9007199254740993.0 }} {{ 2 ** 53 == 2.0 ** 53 }} {{ 2 ** 53 + 1 == 2.0 ** 53 }} {{ 2 ** 53 + 1 > 2.0 ** 53 }} {{ 1 == 1.0 }} {{ true == 1 }} {{ true + true }} {{ true * 3 }} {{ -true }} {{ +false }}
{{ true / 2 }} {{ true // 2 }} {{ true % 2 }} {{ true ** 2 }} {{ 'ab' * true }} {{ [1] * true }} {{ 1.0 is integer }} {{ true is integer }} {{ true is number }} {{ 2 ** 70 is integer }}
{{ 0.1 + 0.2 }} {{ 1e22 }} {{ 1e23 }} {{ 123456789012345678.0 }} {{ 1e15 }} {{ 1e16 }} {{ 0.0001 }} {{ 0.00001 }} {{ 5e-324 }} {{ 1.7976931348623157e308 }} {{ 100000000000000000000.0 }} {{ 1e-5 * 10 }}
{{ 1.0 }} {{ 1.10 }} {{ 100.0 }} {{ 2.0 ** 10 }} {{ 3.0 * 2 }} {{ 6 / 2 }} {{ 7.0 // 2 }} {{ 7.0 % 2 }} {{ -(-1.0) }} {{ 1.0|int }} {{ 1|float }}
{{ 1 < 2 < 3 }} {{ 3 > 2 > 1 }} {{ 1 < 3 < 2 }} {{ 1 == 1 == 1 }} {{ 1 in [1] in [[1]] }} {{ 1 != 2 != 1 }} {{ not 1 == 2 }} {{ not not 1 }} {{ 1 and 2 or 3 }} {{ 0 or '' or none or 'x' }} {{ 1 if 0 else 2 if 0 else 3 }}
{{ 'a' < 'b' < 'c' }} {{ 'Z' < 'a' }} {{ 'é' > 'z' }} {{ '' < 'a' }} {{ '10' < '9' }} {{ [1, 2] < [1, 3] }} {{ [1] < [1, 0] }} {{ (1, 'a') < (1, 'b') }} {{ [] < [0] }} {{ [2] > [1, 5] }}
{{ [1] < ['a'] }}
{{ [1] < (1,) }}
{{ none < 1 }}
{{ {} < {} }}
{{ 'a' < 1 }}
{{ none == none }} {{ none != 0 }} {{ [] == () }} {{ [1] == [1.0] }} {{ {'a': 1} == {'a': 1.0} }} {{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }} {{ (1,) == (1,) }} {{ range(3) == range(0, 3, 1) }} {{ range(0) == range(1, 1) }}
{{ 'a' in 'abc' }} {{ '' in 'abc' }} {{ 'a' in ['a'] }} {{ 1 in {1: 2} }} {{ 2 in {1: 2}.values() }} {{ (1, 2) in {1: 2}.items() }} {{ 3 in range(5) }} {{ 3.0 in range(5) }} {{ 'b' not in 'abc' }} {{ 1.0 in [1] }} {{ true in [1] }}
{{ 1 in 'abc' }}
{{ 1 in 5 }}
{{ [1] in {} }}
{{ x in [x] }}
{{ 1 is odd }} {{ 1 is not odd }} {{ not 1 is odd }} {{ 1 is odd and 2 is even }} {{ 1 is odd == true }} {{ 5 is divisibleby 5 }} {{ 5 is divisibleby(2) }} {{ 1 is in [1, 2] }} {{ 1 is not in [1, 2] }} {{ 'a' is in 'abc' }} {{ 1 is eq 1.0 }} {{ 1 is sameas 1 }} {{ none is sameas none }}
{{ 1 is odd is even }}
{{ 1 is eq }}
{{ 1 is eq 1 2 }}
{{ x is defined and y is undefined }} {{ x is not defined or 1 }} {{ (x is defined) ~ '!' }} {{ x is none }} {{ x is string }} {{ x is mapping }} {{ x is sequence }} {{ x is iterable }} {{ x is number }} {{ x is callable }} {{ x is boolean }}
{{ 'upper' is filter }} {{ 'nope' is filter }} {{ 'odd' is test }} {{ 'nope' is test }} {{ 1 is filter }}
{{ 'A' is upper }} {{ 'a1' is lower }} {{ '1' is upper }} {{ '' is lower }} {{ 1 is lower }} {{ 'x'|e is escaped }} {{ 'x' is escaped }}
{{ [] is filter }}
{{ d.items() is iterable }} {{ d.items is callable }} {{ range is callable }} {{ range(3) is sequence }} {{ d.keys() is sequence }} {{ (1,) is sequence }} {{ 'a' is iterable }} {{ 5 is iterable }} {{ none is iterable }} {{ d is iterable }}
{{ [1, 2, 3][1] }} {{ [1, 2, 3][-1] }} {{ [1, 2, 3].1 }} {{ 'abc'[1] }} {{ 'abc'.1 }} {{ (1, 2)[0] }} {{ {'a': {'b': [5]}}.a.b[0] }} {{ {1: 'x'}[1] }} {{ {1: 'x'}.1 }} {{ {'1': 'x'}['1'] }} {{ [5][true] }} {{ [5][0.0] }} {{ 'abc'['upper']() }} {{ [1]['count'](1) }}
{{ [1, 2, 3][::2] }} {{ [1, 2, 3][::-1] }} {{ 'abc'[::-1] }} {{ 'abc'[-2:] }} {{ 'abc'[:-5] }} {{ 'abc'[5:] }} {{ (1, 2, 3)[1:] }} {{ [1, 2, 3][none:2] }} {{ 'abc'[1:2:none] }} {{ range(10)[2:8:3] }} {{ [1, 2, 3][-100:100] }} {{ 'héllo👍x'[-2:] }} {{ [1][:0] }}
{{ [1, 2][::0] }}
{{ [1, 2]['a':] }}
{{ l[1.0:] }}
{{ {'a': 1}[:1] }}
{{ l[0, 1] }}|{{ d[1, 2] }}|{{ l[] }}|{{ {(1, 2): 'pair'}[1, 2] }}|{{ {(): 'none'}[] }}
{{ l[1:2, 3] }}
{{ {1: 'a', 1.0: 'b', true: 'c'} }} {{ {true: 'a', 1: 'b'} }} {{ {'a': 1, 'a': 2} }} {{ {none: 1, (1, 2): 2} }} {{ {1: 1}[true] }} {{ {1: 1}[1.0] }} {{ {'a': none}.get('a', 5) }} {{ {'a': none}.a }} {{ {'a': none}['a'] }}
{{ {[]: 1} }}
{{ {'a'|e: 1} }} {{ {'a'|e: 1}['a'] }} {{ {'a': 1}['a'|e] }}
{{ {'a': 1,} }} {{ [1,] }} {{ (1,) }} {{ () }} {{ (1) }} {{ 1, 2 }} {{ (1, 2,) }}
{{ [1 2] }}
{{ {'a' 1} }}
{{ , }}
{{ }}
{{ (1, ) + (2, ) }} {{ [1] + [2] * 2 }} {{ 'a' 'b' * 2 }} {{ (1,) * 3 }}
{{ [1] + (2,) }}
{{ 'a' + 1 }}
{{ 1 + 'a' }}
{{ none + 1 }}
{{ [1] - [1] }}
{{ {} + {} }}
{{ 'a' * 1.0 }}
{{ 'a' - 'b' }}
{{ -'a' }}
{{ +[] }}
{{ 1 % 0 }}
{{ 1.0 // 0 }}
{{ 5 / 0.0 }}
{{ 'a' % 0 }}
{{ '%s %s' % (1, 2) }} {{ '%s' % [1] }} {{ '%s' % ((1, 2),) }} {{ '%d%%' % 5.9 }} {{ '%5.1f|%-8s|%+d|%x|%o|%e|%g|%r|%c|%c' % (3.14159, 'ab', 5, 255, 8, 12345.678, 0.0001, 'q', 65, 'Z') }} {{ '%(a)s-%(b)03d' % {'a': 1, 'b': 2} }} {{ '%*d|%-*d|%.*f' % (5, 1, 5, 2, 2, 3.14159) }}
{{ '%#x %#o %#X %#.3g %#.0f % d %+.1e %05d %-5d| %05s %.3d %i %u' % (255, 8, 255, 1.0, 2.0, 3, 12.0, -3, 3, 'x', 5, 2.9, 3) }}
{{ '%s' % none }} {{ '%s' % true }} {{ '%d' % true }} {{ '%s' % 1.0 }} {{ '%s' % d }} {{ '%%' % () }} {{ '100%%' % {} }} {{ 'x' % [] }} {{ '%5%|' % () }}
{{ '%d' % 'a' }}
{{ '%s' % () }}
{{ '%s' % (1, 2) }}
{{ 'abc' % 1 }}
{{ '%(a)s' % 1 }}
{{ '%(a)s' % {} }}
{{ '%y' % 1 }}
{{ '%' % 1 }}
{{ '%x' % 1.5 }}
{{ '%c' % 'ab' }}
{{ '%f' % 'a' }}
{{ '%.2f' % 12345678901234567890 }} {{ '%d' % 1e20 }} {{ '%g' % 1e400 }} {{ '%05.1f' % -0.0 }} {{ '%.0f %.0f %.0f' % (0.5, 1.5, 2.5) }} {{ '%.3f' % 1.0005 }} {{ '%.15g' % 0.1 }} {{ '%.17g' % 0.1 }} {{ '%.20f' % 0.1 }} {{ '%g' % 100000 }} {{ '%g' % 1000000 }} {{ '%G' % 1e-5 }} {{ '%#g' % 1 }} {{ '%e' % 0 }} {{ '%10.3e|' % 1.5 }}
{{ '{} {}'.format(1, 'a') }} {{ '{1} {0}'.format(1, 2) }} {{ '{a}'.format(a=5) }} {{ '{0[a]} {0[b][1]}'.format({'a': 1, 'b': [1, 2]}) }} {{ '{!r:>6}'.format('a') }} {{ '{:>{}}'.format('a', 5) }} {{ '{{}}'.format() }} {{ '{:,}'.format(1234567) }} {{ '{:_}'.format(1234567.891) }} {{ '{:,.2f}'.format(1234567.891) }} {{ '{:%}'.format(0.256) }} {{ '{:.1%}'.format(0.256) }} {{ '{:b} {:o} {:x} {:X} {:#x} {:#b}'.format(5, 8, 255, 255, 255, 5) }} {{ '{:c}'.format(65) }} {{ '{:e}'.format(12345) }}
{{ '{:10}|{:<10}|{:^10}|{:>10}|{:*^10}|{:010}|{:=+8}|{:+}|{: }'.format(5, 5, 5, 5, 5, 5, 5, 5, 5) }} {{ '{:10}|{:.2}|{:>5.1}|{:05}'.format('abc', 'abc', 'abc', 'abc') }} {{ '{} {} {}'.format(none, true, [1]) }} {{ '{:d}'.format(true) }} {{ '{:5}|'.format(true) }} {{ '{:g} {:g} {:.3} {:.10} {:n}'.format(1.0, 1e10, 1234.5, 0.1, 12) }} {{ '{:,}'.format(-1234) }} {{ '{:012,}'.format(1234) }} {{ '{:012,.1f}'.format(-1234.5) }} {{ '{:#_x}'.format(1048576) }} {{ '{:_b}'.format(300) }}
{{ '{}'.format() }}
{{ '{0} {}'.format(1, 2) }}
{{ '{a}'.format(1) }}
{{ '{'.format(1) }}
{{ '}'.format(1) }}
{{ '{:d}'.format('a') }}
{{ '{:d}'.format(1.5) }}
{{ '{:5}'.format(none) }}
{{ '{:5}'.format([1]) }}
{{ '{!z}'.format(1) }}
{{ '{:.2d}'.format(1) }}
{{ '{:,s}'.format('a') }}
{{ '{0.x}'.format(1) }}
{{ '{0[9]}'.format([1]) }}
{{ '{a} {b}'.format_map({'a': 1, 'b': none}) }} {{ '{a[0]}'.format_map({'a': [5]}) }} {{ '{:>5}'.format('é👍') }}|
{{ 'a,b,c'.split(',') }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ ' a  b '.split() }} {{ ' a  b '.split(' ') }} {{ ''.split() }} {{ ''.split(',') }} {{ 'a b c'.split(none, 1) }} {{ 'a b  '.rsplit(none, 1) }} {{ 'abc'.split('') }}
{{ 'a\nb\r\nc\rd\x0be\x1cf\u2028g'.splitlines() }} {{ 'a\nb\n'.splitlines(true) }} {{ ''.splitlines() }} {{ '\n'.splitlines() }} {{ 'a\n\nb'.splitlines() }}
{{ 'abcabc'.find('c') }} {{ 'abcabc'.rfind('c') }} {{ 'abcabc'.find('c', 3) }} {{ 'abcabc'.find('c', 0, 2) }} {{ 'abcabc'.find('') }} {{ 'abc'.find('', 3) }} {{ 'abc'.find('', 4) }} {{ 'abcabc'.index('b', -3) }} {{ 'abcabc'.count('bc') }} {{ 'aaa'.count('aa') }} {{ 'abc'.count('') }} {{ 'abc'.find('z') }} {{ 'abc'.rfind('') }} {{ '👍a'.find('a') }} {{ 'abc'.count('', 4) }} {{ 'abc'.find('a', none, none) }}
{{ 'abc'.index('z') }}
{{ 'abc'.find(1) }}
{{ 'abc'.startswith('ab') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('c', 0, 2) }} {{ 'abc'.startswith('b', 1) }} {{ 'abc'.startswith('') }} {{ 'abc'.startswith('', 5) }} {{ 'abc'.endswith(()) }}
{{ 'abc'.startswith(['a']) }}
{{ 'abc'.replace('b', 'X') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ 'abc'.replace('', '-') }} {{ 'abc'.replace('', '-', 2) }} {{ 'abc'.replace('z', 'y') }} {{ 'aXbX'.replace('X', '') }} {{ 'abc'.replace('b', '$&') }} {{ '👍a'.replace('', '.') }}
{{ 'abc'.replace('a') }}
{{ 'abc'.replace('a', 'b', count=1) }}
{{ 'abc'.center(10) }}|{{ 'abc'.center(10, '*') }} {{ 'ab'.center(5, '*') }} {{ 'abc'.ljust(6, '.') }} {{ 'abc'.rjust(6) }} {{ '42'.zfill(5) }} {{ '-42'.zfill(5) }} {{ '+4'.zfill(4) }} {{ 'abc'.zfill(2) }} {{ '👍'.center(4, '-') }} {{ 'a'.center(2, '-') }} {{ 'ab'.center(3, '-') }}
{{ 'abc'.center(10, 'xx') }}
{{ 'abc'.title() }} {{ "they're bill's".title() }} {{ 'aBC dEF'.title() }} {{ 'x1y'.title() }} {{ 'hello'.capitalize() }} {{ 'HELLO'.capitalize() }} {{ 'ßa'.capitalize() }} {{ 'ΑΣ'.lower() }} {{ 'ΑΣΑ'.lower() }} {{ 'ß'.upper() }} {{ 'ß'.casefold() }} {{ 'ﬁ'.title() }} {{ 'ǆ'.title() }} {{ 'İ'.lower()|length }} {{ 'aBc'.swapcase() }}
{{ ' x '.strip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'abcba'.lstrip('ab') }}|{{ 'abc'.rstrip('bc') }}|{{ '\u00a0x\u2003'.strip() }}|{{ '\ufeffx'.strip() }}|{{ '\x1fx\x85'.strip() }}|{{ ' x '.strip(none) }}|{{ '👍a👍'.strip('👍') }}
{{ 'abc'.partition('b') }} {{ 'abc'.partition('z') }} {{ 'abcb'.rpartition('b') }} {{ 'abc'.rpartition('z') }} {{ 'abc'.removeprefix('ab') }} {{ 'abc'.removesuffix('bc') }} {{ 'abc'.removesuffix('') }}
{{ 'abc'.partition('') }}
{{ ','.join(['a', 'b']) }} {{ ''.join('abc') }} {{ '-'.join(('a', 'b')) }} {{ ','.join({'a': 1}) }} {{ ','.join(ls) }} {{ ','.join([]) }}
{{ ','.join([1]) }}
{{ 'a\tb'.expandtabs() }}|{{ 'a\tb'.expandtabs(4) }}|{{ 'a\tb\n\tc'.expandtabs(tabsize=2) }}|{{ 'a\tb'.expandtabs(0) }}
{{ 'a1'.isalnum() }} {{ 'a'.isalpha() }} {{ '1'.isdigit() }} {{ '²'.isdigit() }} {{ '²'.isdecimal() }} {{ '½'.isnumeric() }} {{ '一'.isnumeric() }} {{ ' '.isspace() }} {{ ''.isspace() }} {{ 'A'.isupper() }} {{ 'Ab'.istitle() }} {{ 'a_1'.isidentifier() }} {{ '1a'.isidentifier() }} {{ '\n'.isprintable() }} {{ 'é'.isascii() }} {{ '٣'.isdigit() }} {{ 'a b'.istitle() }} {{ '123'.isupper() }}
{{ 'abc'.translate({97: 'X', 98: none}) }} {{ 'abc'.translate('abc'.maketrans('ab', 'xy')) }} {{ 'abc'.translate(''.maketrans({'a': '1'})) }} {{ 'abc'.translate(''.maketrans('a', 'b', 'c')) }}
{{ 'é'.encode() }} {{ 'abc'.encode('ascii') }} {{ 'é'.encode('latin-1') }} {{ 'é'.encode('ascii', 'ignore') }} {{ 'é'.encode('utf-8').decode() }}
{{ 'é'.encode('ascii') }}
{{ [3, 1, 2].index(1) }} {{ [1, 1].count(1) }} {{ [1, 2].copy() }} {{ (1, 2, 1).count(1) }} {{ (1, 2).index(2) }} {{ [1, 2, 1].index(1, 1) }}
{{ [1].index(5) }}
{% set a = [3, 1, 2] %}{{ a.append(4) }}{{ a.sort() }}{{ a }}{{ a.sort(reverse=true) }}{{ a }}{{ a.reverse() }}{{ a.insert(-1, 9) }}{{ a.insert(100, 8) }}{{ a.pop() }}{{ a.pop(0) }}{{ a.remove(9) }}{{ a.extend('xy') }}{{ a }}{{ a.clear() }}{{ a }}
{% set a = ['b', 'A', 'c'] %}{{ a.sort() }}{{ a }}
{{ [].pop() }}
{{ [1].remove(2) }}
{{ [1, 'a'].sort() }}
{{ {'a': 1}.get('b') }} {{ {'a': 1}.get('b', 2) }} {{ {'a': 1}.keys() }} {{ {'a': 1}.values() }} {{ {'a': 1}.items() }} {{ {'a': 1}.keys()|list }} {{ {'b': 1, 'a': 2}|list }} {{ {'a': 1}.copy() }} {{ dict.fromkeys(['a', 'b'], 0) }} {{ {}.fromkeys('ab') }}
{% set q = {'a': 1} %}{{ q.update({'b': 2}) }}{{ q.update(c=3) }}{{ q.update([('d', 4)]) }}{{ q.pop('a') }}{{ q.pop('z', 'none') }}{{ q.setdefault('e', 5) }}{{ q.setdefault('b', 9) }}{{ q.popitem() }}{{ q }}{{ q.clear() }}{{ q }}
{{ {}.popitem() }}
{{ {}.pop('a') }}
{{ {}.update(1) }}
{{ {'a': 1}.get() }}
{{ dict(a=1, b=2) }} {{ dict([('a', 1)]) }} {{ dict({'a': 1}, b=2) }} {{ dict() }} {{ dict(['ab']) }}
{{ dict(1) }}
{{ dict([1]) }}
{{ dict([(1, 2, 3)]) }}
{{ range(5) }} {{ range(1, 5) }} {{ range(0, 10, 3) }} {{ range(5)|list }} {{ range(5, 0, -1)|list }} {{ range(3)[1] }} {{ range(10)[-1] }} {{ range(3)|length }} {{ range(3).index(2) }} {{ range(3).count(1) }} {{ range(3).start }} {{ range(0)|list }} {{ range(3, 1)|list }} {{ range(5)|sum }} {{ range(3)|reverse|list }} {{ range(3)|first }}
{{ range() }}
{{ range(1, 2, 0) }}
{{ range('a') }}
{{ range(1.5) }}
{{ namespace() }} {{ namespace(a=1) }} {{ namespace({'a': 1}) }} {{ namespace(a=1).a }} {{ namespace(a=1)['a'] }} {{ namespace(a=1).b is defined }}
{% set ns = namespace(a=1) %}{% set ns.a = 2 %}{% set ns.b = 3 %}{{ ns.a }}{{ ns.b }}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns }}
{% set d.a = 1 %}
{% set nope.a = 1 %}
{% set ns = namespace() %}{% set ns.a, b = 1, 2 %}
{{ cycler('a', 'b').next() }} {{ cycler(1).current }} {% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.reset() }}{{ c.next() }}{{ c.items }}{{ c.pos }}
{{ cycler() }}
{% set j = joiner() %}{{ j() }}a{{ j() }}b{% set k = joiner('-') %}{{ k() }}{{ k() }}{{ joiner(sep='x')() }}
{{ lipsum(n=1, html=false)|length > 10 }} {{ lipsum is callable }}
{{ x|default('d') }} {{ nope|default('d') }} {{ nope|d }}| {{ ''|default('d', true) }} {{ none|default('d') }} {{ none|default('d', true) }} {{ 0|d(5, boolean=true) }} {{ nope|default(none) }} {{ nope.x|default('d') }}
{{ 'abc'|first }} {{ 'abc'|last }} {{ []|first }}| {{ []|last }}| {{ {'a': 1}|first }} {{ {'a': 1, 'b': 2}|last }} {{ (1, 2)|last }} {{ range(5)|last }}
{{ [1]|select|last }}
{{ 5|first }}
{{ 'a b'|title }} {{ 'foo-bar (baz) {x} [y] <z>'|title }} {{ "it's"|title }} {{ 'ÀB cd'|title }} {{ 123|title }} {{ none|upper }} {{ [1, 'a']|upper }} {{ 1.0|lower }}
{{ 'abc'|center(9) }}|{{ 'a'|center }}|
{{ 'a\nb'|indent }} {{ 'a\n\nb'|indent(2) }} {{ 'a\n\nb'|indent(2, blank=true) }} {{ 'a\nb'|indent(first=true) }} {{ 'a\nb'|indent('--') }} {{ 'a\nb\n'|indent(1) }}| {{ ''|indent }}| {{ ''|indent(first=true) }}|
{{ 5|indent }}
{{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(9, true) }} {{ 'foo bar baz qux'|truncate(11) }} {{ 'foo bar baz qux'|truncate(11, false, '...', 0) }} {{ 'foobarbaz'|truncate(5, false, '', 0) }} {{ '👍👍👍👍👍👍👍👍👍👍'|truncate(4, true, '.', 0) }} {{ 'abc'|truncate(3) }}
{{ 'abc'|truncate(2) }}
{{ 'abcdefgh'|truncate(5, leeway=-1) }}
{{ 'the quick-brown fox jumps'|wordwrap(10) }} {{ 'a-b--c d'|wordwrap(3) }} {{ 'abcdefghij'|wordwrap(4) }} {{ 'abcdefghij'|wordwrap(4, false) }} {{ 'a b\n\nc d'|wordwrap(2) }} {{ 'aaa bbb'|wordwrap(4, wrapstring='|') }} {{ 'well-known self-made'|wordwrap(6) }} {{ 'well-known self-made'|wordwrap(6, break_on_hyphens=false) }} {{ '   lead  and trail   '|wordwrap(8) }}|
{{ 'a'|wordwrap(0) }}
{{ 'a b c'|wordcount }} {{ "it's a-b"|wordcount }} {{ ''|wordcount }} {{ 'é 日本'|wordcount }}
{{ '42'|int }} {{ '42.7'|int }} {{ 'abc'|int }} {{ 'abc'|int(5) }} {{ 'ff'|int(base=16) }} {{ '0xff'|int(base=16) }} {{ '0b11'|int(0, 2) }} {{ '0x1f'|int(0, 0) }} {{ ' 7 '|int }} {{ '1_000'|int }} {{ '-5'|int }} {{ 3.9|int }} {{ -3.9|int }} {{ true|int }} {{ none|int }} {{ none|int(none) }} {{ []|int }} {{ '1e3'|int }} {{ '٣'|int }} {{ 'inf'|int(9) }}
{{ 1e400|int }}
{{ '5'|int(base=1) }}
{{ 'z'|int(base=99) }}
{{ '1.5'|float }} {{ 'abc'|float }} {{ 'abc'|float(2) }} {{ 3|float }} {{ true|float }} {{ 'inf'|float }} {{ '-nan'|float }} {{ ' 1_0.5 '|float }} {{ '1e3'|float }} {{ none|float }} {{ '.5'|float }} {{ '5.'|float }} {{ '1e400'|float }} {{ 2 ** 70|float }}
{{ 2.5|round }} {{ 3.5|round }} {{ -2.5|round }} {{ 2.675|round(2) }} {{ 1234.5|round(-2) }} {{ 5|round }} {{ 15|round(-1) }} {{ 25|round(-1) }} {{ 1.234|round(2, 'ceil') }} {{ 1.239|round(2, 'floor') }} {{ -1.5|round(0, 'ceil') }} {{ true|round }} {{ 2.5|round(precision=1) }} {{ 1e300|round(2) }} {{ 0.5|round }} {{ 1.5|round|int }} {{ 5.015|round(2) }} {{ 1e-7|round(3) }} {{ -0.4|round }}
{{ 'a'|round }}
{{ 1|round(1, 'x') }}
{{ 2.5|round('a') }}
{{ [1, 2, 3]|sum }} {{ []|sum }} {{ [1, 2]|sum(start=10) }} {{ [0.1] * 3|sum }} {{ [[1], [2]]|sum(start=[]) }} {{ [{'a': 1}, {'a': 2}]|sum(attribute='a') }} {{ [1, 2.5]|sum }} {{ [true, true]|sum }} {{ {'1': 2}.values()|sum }}
{{ ['a']|sum }}
{{ ['a']|sum(start='') }}
{{ [3, 1, 2]|sort }} {{ ['b', 'A', 'a']|sort }} {{ ['b', 'A', 'a']|sort(case_sensitive=true) }} {{ [3, 1]|sort(true) }} {{ [1, 1.0, true, 0]|sort }} {{ [[2], [1, 5]]|sort }} {{ 'hello'|sort|join }} {{ {'b': 1, 'a': 2}|sort }} {{ []|sort }} {{ [none]|sort }}
{{ [1, 'a']|sort }}
{{ [none, none]|sort }}
{{ [1, none]|sort }}
{{ ld|sort(attribute='nope')|list|length }}
{{ [3, 1, 2]|min }} {{ [3, 1, 2]|max }} {{ []|max }}| {{ ['b', 'A']|min }} {{ ['b', 'A']|min(case_sensitive=true) }} {{ 'hello'|max }} {{ ld|max(attribute='age') }}
{{ [1, 'a']|max }}
{{ [1, 1.0, true, 2]|unique|list }} {{ ['a', 'A', 'b']|unique|list }} {{ ['a', 'A']|unique(true)|list }} {{ 'hello'|unique|join }}
{{ [[1], [1]]|unique|list }}
{{ [1, 2, 3, 4, 5]|batch(2)|list }} {{ [1, 2, 3]|batch(2, 'x')|list }} {{ []|batch(2)|list }} {{ 'abcde'|batch(2)|list }} {{ [1, 2, 3, 4, 5]|slice(3)|list }} {{ [1, 2]|slice(3, 'x')|list }} {{ [1, 2, 3]|batch(0)|list }}
{{ [1]|slice(0)|list }}
{{ [1, 2]|reverse|list }} {{ 'abc'|reverse }} {{ (1, 2)|reverse|list }} {{ {'a': 1, 'b': 2}|reverse|list }} {{ [1, 2]|select|reverse }} {{ d.items()|reverse|list }}
{{ 5|reverse }}
{{ [1, 2]|join }} {{ [1, 2]|join(', ') }} {{ 'abc'|join('-') }} {{ [none, true, 1.0]|join('|') }} {{ {'a': 1, 'b': 2}|join(',') }} {{ [1, 2]|join(0) }} {{ ld|join('/', attribute='kind') }} {{ [[1, 2], [3]]|join(';', attribute=0) }}
{{ ['a', 'b']|map('upper')|list }} {{ ld|map(attribute='name')|list }} {{ ld|map(attribute='sub.a')|list }} {{ [[1, 2], [3, 4]]|map(attribute=0)|list }} {{ [[1, 2], [3, 4]]|map(attribute='1')|list }} {{ ['1', '2']|map('int')|sum }} {{ ['a']|map('default', 'x')|list }} {{ []|map('nope')|list }} {{ [1]|map('round', precision=1)|list }} {{ ['ab']|map('first')|join }}
{{ [1]|map('nope')|list }}
{{ [1]|map|list }}
{{ [1]|map(attribute='a', foo=1)|list }}
{{ [0, 1, 2, '']|select|list }} {{ [0, 1]|reject|list }} {{ [1, 2, 3]|select('odd')|list }} {{ [1, 2, 3]|select('gt', 1)|list }} {{ [1, 2, 3]|reject('in', [1, 2])|list }} {{ ld|selectattr('ok')|map(attribute='kind')|list }} {{ ld|rejectattr('age', 'gt', 3)|list|length }} {{ ['a', 1]|select('string')|list }} {{ [1, 2]|select('divisibleby', num=2)|list }}
{{ [1]|select('nope')|list }}
{{ [1]|selectattr|list }}
{{ 5|select|list }}
{{ {'b': 2, 'A': 1, 'c': 0}|dictsort }} {{ {'b': 2, 'A': 1}|dictsort(true) }} {{ {'b': 2, 'A': 1}|dictsort(by='value') }} {{ {'b': 2, 'A': 1}|dictsort(reverse=true) }} {{ {}|dictsort }}
{{ {'a': 1}|dictsort(by='x') }}
{{ [1]|dictsort }}
{{ {1: 'a', 'b': 2}|dictsort }}
{{ ld|groupby('kind')|list }} {% for k, g in ld|groupby('kind') %}{{ k }}:{{ g|length }} {% endfor %}{% for g in ld|groupby('ok', default='q') %}{{ g.grouper }}{{ g.list|length }}{{ g[0] }}{% endfor %} {{ [[1, 2], [1, 3]]|groupby(0) }} {{ ['a', 'b', 'A']|groupby(0)|map('first')|list }}
{{ 'a&b<c>"d\'e'|e }} {{ 'a&b'|escape|escape }} {{ '<b>'|safe|e }} {{ '<b>'|e|forceescape }} {{ 5|e }} {{ none|e }} {{ ['<']|e }}
{{ '<b>x</b> <!-- c --> &amp; &lt;y&gt; &eacute; &#65; &#x42; &nope; &notit;   z'|striptags }} {{ 'a < b > c'|striptags }} {{ '<<a>>'|striptags }}
{{ 'a b/c?d=é&f'|urlencode }} {{ {'a b': 'c/d', 'e': 1}|urlencode }} {{ [('a', 1), ('b', 'x y')]|urlencode }} {{ 5|urlencode }} {{ "~_.-!*'()"|urlencode }} {{ ''|urlencode }}
{{ [1]|urlencode }}
{{ 'see http://example.com/x?y=1&z=2, (www.test.org) foo@bar.com mailto:a@b.co <https://x.io> https://1.2.3.4:80/ example.com. end'|urlize }} {{ 'http://example.com/very/long/path'|urlize(10) }} {{ 'http://a.com'|urlize(nofollow=true, target='_blank', rel='me') }} {{ 'ftp://x.y tel:12'|urlize(extra_schemes=['tel:', 'ftp://']) }}
{{ 'x'|urlize(extra_schemes=['bad']) }}
{{ {'class': 'a b', 'id': none, 'n': 5, 'q': '"<'}|xmlattr }} {{ {}|xmlattr }}| {{ {'a': 1}|xmlattr(false) }} {{ {'a': nope}|xmlattr }}|
{{ {'a b': 1}|xmlattr }}
{{ {'a>': 1}|xmlattr }}
{{ 1|filesizeformat }} {{ 0|filesizeformat }} {{ 999|filesizeformat }} {{ 1000|filesizeformat }} {{ 1024|filesizeformat(true) }} {{ 123456789|filesizeformat }} {{ '2000'|filesizeformat }} {{ 1.5|filesizeformat }} {{ 10 ** 27|filesizeformat }} {{ 2 ** 90|filesizeformat(binary=true) }}
{{ 'x'|filesizeformat }}
{{ [1, 'a', none, true, 1.0, {'b': [], 'a': 'é<'}]|tojson }} {{ 'a"b\\\n\t\x08\x7f'|tojson }} {{ {'b': 1, 'a': [1, 2]}|tojson(indent=2) }} {{ []|tojson(2) }} {{ {}|tojson(2) }} {{ (1, 2)|tojson }} {{ {1: 2, 10: 3}|tojson }} {{ '👍'|tojson }} {{ 1e400|tojson }} {{ {none: 1}|tojson }} {{ {true: 1}|tojson }} {{ {1.5: 1}|tojson }} {{ [[], [[]]]|tojson(indent=1) }} {{ [1]|tojson(indent=0) }} {{ {'a': 1}|tojson(indent='--') }}
{{ nope|tojson }}
{{ range(3)|tojson }}
{{ {(1,): 1}|tojson }}
{{ {1: 1, 'a': 2}|tojson }}
{{ '<a>'|tojson ~ '<' }} {{ '<a>'|tojson + '<' }} {{ '%s'|safe % '<' }} {{ '{}'|safe.format('<') }} {{ ('<'|safe) + '<' }} {{ '<' + ('<'|safe) }} {{ ('<'|safe).join(['<', '>'|safe]) }} {{ ('a<'|safe).replace('a', '<') }} {{ ('<b>'|safe)[1] }} {{ ('<b>'|safe).upper() }} {{ ['<'|safe] }} {{ ('<'|safe) * 2 }} {{ ('a,b'|safe).split(',') }} {{ '<'|safe == '<' }} {{ ('<'|safe).partition('<') }}
{{ [1, [2, 3], {'a': (4,)}]|pprint }} {{ {'b': 1, 'a': 'x' * 90}|pprint }} {{ ['word ' * 30]|pprint }} {{ ('a' * 30 ~ ' ') * 4|pprint }} {{ (('abc ' * 12)|trim ~ '\n') * 3|pprint }} {{ [['x' * 30] * 3] * 2|pprint }} {{ {'k' * 50: {'z': 1, 'y': [1, 2, 3] * 10}}|pprint }} {{ []|pprint }} {{ ''|pprint }} {{ ('x' * 70, 'y' * 20)|pprint }} {{ nope|pprint }}
{{ 'abc'|attr('upper') is callable }} {{ {'a': 1}|attr('a') is defined }} {{ namespace(a=1)|attr('a') }} {{ 5|attr('real') }} {{ 'abc'|attr('nope') is defined }}
{{ -5|abs }} {{ -5.5|abs }} {{ true|abs }} {{ (-3)|abs }} {{ -3|abs + 1 }}
{{ 'a'|abs }}
{{ 'abc'|list }} {{ {'a': 1}|list }} {{ range(3)|list }} {{ (1, 2)|list }} {{ nope|list }} {{ 'é👍'|list }} {{ 'é👍'|length }} {{ 'abc'|count }} {{ {}|length }} {{ [[]]|length }}
{{ 5|list }}
{{ 5|length }}
{{ none|length }}
{{ x|upper|lower|title|trim|string }} {{ (x|string)|length == x|string|length }}
{{ 'a'|replace('a', 'b', 1)|upper }} {{ 5|replace(5, 6) }} {{ none|replace('None', 'x') }} {{ 'aaa'|replace('a', 'b', count=1) }} {{ 'abc'|replace('', '-') }} {{ true|replace('T', 't') }}
{{ 'abc'|trim('a') }} {{ ' a '|trim }}| {{ 5|trim }} {{ 'xax'|trim(chars='x') }} {{ ' a '|trim(none) }}|
{{ 'a'|trim(5) }}
{{ 'abc'|format }} {{ '%s'|format(1) }} {{ '%s-%s'|format(1, 2) }} {{ '%(a)s'|format(a=1) }} {{ 5|format }}
{{ '%s'|format(1, a=2) }}
{{ '%s'|format }}
{{ 'x'|upper() }} {{ 'x'|upper|lower() }} {{ 'x'|center(5)|upper }} {{ ('x'|upper) }} {{ 'x' |upper }} {{ -1|abs }} {{ 1 + 2|abs }} {{ 'a' ~ 'b'|upper }} {{ not 0|abs }} {{ 2 ** 3|abs }} {{ x|default(1)|int + 1 if false else 'z' }}
{{ 'x'|upper(1) }}
{{ 'x'|center(width=5, foo=1) }}
{{ 'x'|default('a', 'b', 'c', 'd') }}
{{ 'x'|replace('a') }}
{{ x|upper.foo }}
{{ x | }}
{{ x|1 }}
{{ foo(a=1, a=2) }}
{{ foo(*[1], *[2]) }}
{{ foo(**{}, a=1) }}
{{ dict(*[[('a', 1)]], **{'b': 2}) }} {{ range(*[1, 4])|list }} {{ dict(**{'a': 1}) }} {{ '{}{a}'.format(*[1], **{'a': 2}) }} {{ 'a'|replace(*['a', 'b']) }} {{ [3, 1]|sort(**{'reverse': true}) }} {{ dict(a=1, **{'b': 2}) }}
{{ dict(a=1, **{'a': 2}) }}
{{ range(*5) }}
{{ dict(**5) }}
{{ dict(**{1: 2}) }}
{% for i in [1, 2, 3] %}{{ i }}{% endfor %}{{ i }}|{% for i in [] %}a{% else %}b{% endfor %}{% for i in 'ab' %}{{ i }}{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}{% for i in range(3) if i is odd %}{{ i }}{{ loop.index }}{% endfor %}{% for i in [1, 2] if false %}a{% else %}c{% endfor %}
{% for a, (b, c) in [(1, (2, 3)), [4, [5, 6]]] %}{{ a }}{{ b }}{{ c }} {% endfor %}{% for a, b in ['xy', 'zw'] %}{{ a }}{{ b }}{% endfor %}{% for (a, b) in {'k': 'v'}.items() %}{{ a }}{{ b }}{% endfor %}
{% for a, in [[1], [2]] %}{{ a }}{% endfor %}
{% for x in [1, 2], recursive %}{{ x }}{% endfor %}
{% for a, b in [1] %}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{% endfor %}
{% for a.b in l %}{% endfor %}
{% for 'x' in l %}{% endfor %}
{% for i in l, ls %}{{ i }}{% endfor %}{% for i in 1, 2, %}{{ i }}{% endfor %}{% for i in (1 if true else 2), 3 %}{{ i }}{% endfor %}
{% for i in l if i else 2 %}{{ i }}{% endfor %}
{% for i in [1, 2, 3] %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a', 'b') }}{{ loop.changed(i // 2) }};{% endfor %}
{% for i in [1, 2, 3]|select %}{{ loop.index }}/{{ loop.length }}{{ loop.last }}{{ loop.revindex }};{% endfor %}{% for i in [1, 2, 3] if i > 1 %}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}{% for i in [1, 2]|map('string') %}{{ loop.nextitem }}{{ loop.length }}{% endfor %}
{% for i in [1] %}{{ loop.nope }}{{ loop }}{{ loop|length }}{{ loop.index is defined }}{% endfor %}{{ loop is defined }}
{% for i in [1, 2] %}{% set outer = loop %}{% for j in [1, 2] %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}{% for i in [1] %}{% for j in [2] %}{% else %}{% endfor %}{{ loop.index }}{% endfor %}
{% for i in [[1, [2]], 3] recursive %}{{ loop.depth }}{{ loop.depth0 }}{% if i is iterable %}({{ loop(i) }}){% else %}{{ i }}{% endif %}{% else %}empty{% endfor %}{% for i in [] recursive %}a{% else %}none{% endfor %}
{% for i in [1] %}{{ loop(i) }}{% endfor %}
{% for i in [1] %}{{ loop.cycle() }}{% endfor %}
{% for i in [1, 1, 2] %}{% if loop.changed(i) %}{{ i }}{% endif %}{% endfor %}{% for i in [1, 1] %}{{ loop.changed() }}{{ loop.changed(1, 2) }}{% endfor %}
{% for loop in [1] %}{% endfor %}
{% for i in [1] %}{% set loop = 5 %}{% endfor %}
{% for i in l %}{% break %}{% endfor %}
{% for i in l %}
{% endfor %}
{% else %}
{% set a = 1 %}{% if true %}{% set a = 2 %}{% endif %}{{ a }}{% for i in [1] %}{% set a = 3 %}{{ a }}{% endfor %}{{ a }}{% with %}{% set a = 4 %}{{ a }}{% endwith %}{{ a }}{% macro m() %}{% set a = 5 %}{{ a }}{% endmacro %}{{ m() }}{{ a }}
{% if false %}{% set s = 'inner' %}{% endif %}{{ s }}{% for i in [1] %}{{ s }}{% set s = 'loop' %}{{ s }}{% endfor %}{{ s }}
{% if n %}{% set v1 = 1 %}{% else %}{% set v1 = 2 %}{% endif %}{{ v1 }}{% if false %}{% set s = 1 %}{% elif false %}{% set s = 2 %}{% else %}{% set s = 3 %}{% endif %}{{ s }}
{% if 1 %}{% if 0 %}{% set s = 1 %}{% endif %}{% elif 1 %}{% set s = 2 %}{% else %}{% set s = 3 %}{% endif %}{{ s }}
{% set s = s %}{{ s }}{% set s = s ~ 'x' %}{{ s }}{{ s }}{% set t2 = t2 %}{{ t2 is defined }}
{% macro m() %}{{ later }}{% endmacro %}{% set later = 'L' %}{{ m() }}{% for i in [1] %}{% set later = 'M' %}{{ m() }}{% endfor %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, d2) = [3, 4] %}{{ c }}{{ d2 }}{% set e2 = 1, 2 %}{{ e2 }}{% set f2, = [5] %}{{ f2 }}{% set g2 = (6,) %}{{ g2 }}
{% set a, b = 1 %}
{% set a %}x{{ s }}{% endset %}{{ a }}{% set b | upper | replace('X', 'y') %}x{% endset %}{{ b }}{% set c, e1 %}xy{% endset %}{{ c }}{{ e1 }}{% set ns = namespace() %}{% set ns.q %}in{% endset %}{{ ns.q }}
{% set a|replace(s, t) %}x{% endset %}
{% set true = 1 %}
{% set a = %}
{% set a.b.c = 1 %}
{% set 'x' = 1 %}
{% set a %}
{% if x %}a{% elif y %}b{% else %}c{% endif %}{% if not x %}n{% endif %}{% if 1, 2 %}t{% endif %}{% if (): %}e{% endif %}{% if x: %}colon{% endif %}
{% if %}{% endif %}
{% if x %}{% else %}{% elif y %}{% endif %}
{% if x %}{% else if y %}{% endif %}
{% if x %}{% elseif y %}{% endif %}
{% endif %}
{% if x %}{% endfor %}
{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{% with a = s %}{% with s = 'in' %}{{ a }}{{ s }}{% endwith %}{{ s }}{% endwith %}{% with a, b = (1, 2) %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}{% with a = 1, b = a %}{{ b }}{% endwith %}
{% with a %}{% endwith %}
{% with a = 1 b = 2 %}{% endwith %}
{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, c=5) }} {{ m() }} {{ m(b=3, a=1) }} {{ m.name }} {{ m.arguments }} {{ m.catch_kwargs }} {{ m.catch_varargs }} {{ m.caller }} {{ m }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=1) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}
{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, a=3) }}{{ m(*[1, 2], **{'x': 1}) }}{{ m.catch_kwargs }}{{ m.catch_varargs }}
{% macro m(varargs) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, z=2) }}
{% macro m(caller) %}{{ caller() }}{% endmacro %}{{ m(1) }}
{% macro m(caller=none) %}{{ caller }}{% endmacro %}{{ m() }}{% call m() %}c{% endcall %}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}{{ caller('a', b='c') }}{% endmacro %}{% call(x, b='d', z='e') m() %}{{ x }}{{ b }}{{ z }}{{ s }}{% endcall %}{% call m() %}{{ kwargs }}{{ varargs }}{% endcall %}
{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}{% call m() %}deep{% endcall %}{% endcall %}{% call m() %}{% for i in [1, 2] %}{{ i }}{% endfor %}{% endcall %}
{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}
{% call 'abc'.upper() %}y{% endcall %}
{% call x %}y{% endcall %}
{% call range(3) %}y{% endcall %}
{% macro fact(n) %}{% if n <= 1 %}1{% else %}{{ n * fact(n - 1)|int }}{% endif %}{% endmacro %}{{ fact(5) }}{% macro outer() %}{% macro inner() %}in{% endmacro %}{{ inner() }}{% endmacro %}{{ outer() }}{{ inner is defined }}
{% macro m(a, a) %}{% endmacro %}
{% macro m(a=1, b) %}{% endmacro %}
{% macro m %}{% endmacro %}
{% macro 'x'() %}{% endmacro %}
{% macro _m() %}p{% endmacro %}{{ _m() }}{{ _m.name }}
{% filter upper %}a{{ s }}{% endfilter %}{% filter replace('a', 'b')|upper %}aaa{% endfilter %}{% filter indent(2) %}x
y{% endfilter %}{% filter trim %}  {% set z2 = 1 %}{{ z2 }}  {% endfilter %}{{ z2 is defined }}
{% filter length %}abc{% endfilter %}
{% filter nope %}abc{% endfilter %}
{% filter %}abc{% endfilter %}
{% filter upper|e %}<{% endfilter %}{% filter list %}ab{% endfilter %}
{% raw %}{{ x }}{% if %}{# c #}{% endraw %}{%- raw -%}  a  {%- endraw -%}  b{% raw %}{% endraw %}|{% raw -%} z {%- endraw %}
{% raw %}{% raw %}{% endraw %}{% endraw %}
{% raw %}abc
{% print 1 %}{% print 1, 'a', s %}{% print %}
{% autoescape true %}{{ '<' }}{{ '<'|safe }}{{ '<' ~ '>' }}{{ s ~ '<' }}{{ ('<'|safe) ~ '<' }}{{ ['<'] }}{{ s|upper }}{% set q %}<{{ '<' }}{% endset %}{{ q }}{{ '<'|e }}{% macro m() %}<{{ '<' }}{% endmacro %}{{ m() }}{{ m()|upper }}{{ '<b>'|replace('<', '&') }}{{ ['<', '<'|safe]|join('<') }}{{ '%s'|format('<') }}{{ '<'|tojson }}{% filter upper %}<{{ '<' }}{% endfilter %}{{ {'a': '<'}|xmlattr }}{% endautoescape %}{{ '<' }}
{% autoescape false %}{{ '<' }}{% autoescape true %}{{ '<' }}{% endautoescape %}{{ '<' }}{% endautoescape %}{% autoescape b %}{{ '<' ~ s }}{{ s }}{{ '<'|e }}{% endautoescape %}{% macro m() %}{{ '<' }}{% endmacro %}{% autoescape true %}{{ m() }}{% call m() %}{% endcall %}{% endautoescape %}
{% autoescape %}{% endautoescape %}
{% block a %}A{{ s }}{% block b %}B{% endblock %}{% endblock a %}{{ self.a() }}{{ self.b() }}{{ self.nope is defined }}
{% block a %}{% endblock %}{% block a %}{% endblock %}
{% block a-b %}{% endblock %}
{% block a %}{{ super() }}{% endblock %}
{% for i in [1, 2] %}{% block c %}{{ i }}{% endblock %}{% block d scoped %}{{ i }}{{ loop.index }}{% endblock %}{% endfor %}
{% block a required %}{% endblock %}
{% block a required %} text {% endblock %}
{% set z3 = 1 %}{% block a %}{{ z3 }}{% set z3 = 2 %}{{ z3 }}{% endblock %}{{ z3 }}
{% extends 'base.j2' %}{% extends 'base.j2' %}
{% extends 'base.j2' %}{% block body %}{{ self.body is defined }}{% endblock %}{% macro m() %}x{% endmacro %}{{ m() }}{% for i in [1] %}y{% endfor %}
{% for i in [1] %}{% extends 'base.j2' %}{% endfor %}
{% extends nope %}
{% extends 'part.j2' %}{% block nothere %}z{% endblock %}
{% include 'nope.j2' %}
{% include nope %}
{% include nope ignore missing %}
{% include [] %}
{% include [] ignore missing %}ok
{% include ['a', 'b'] ignore missing %}ok{% include ('nope.j2', 'part.j2') %}{% include ['nope.j2', 'part.j2'] ignore missing with context %}
{% include 'part.j2' with context %}{% include 'part.j2' ignore missing without context %}{% set i = 5 %}{% include 'part.j2' %}{% for v in ['V'] %}{% include 'part.j2' %}{% endfor %}{% with v = 'W' %}{% include 'part.j2' %}{% endwith %}
{% import 'lib.j2' as lib %}{{ lib.hello('x') }}{{ lib.answer }}{{ lib._private is defined }}{{ lib }}|{{ lib.nope is defined }}{{ lib.hello.name }}{{ lib.uses() }}
{% import 'lib.j2' as lib with context %}{{ lib.uses() }}{% from 'lib.j2' import hello, answer as a %}{{ hello('y', x=2) }}{{ a }}{% from 'lib.j2' import nope %}{{ nope is defined }}{% from 'lib.j2' import hello as h2 with context %}{{ h2(1) }}
{% from 'lib.j2' import _private %}
{% from 'lib.j2' import %}
{% from 'lib.j2' import nope %}{{ nope() }}
{% import 'nope.j2' as x %}
{% import 'lib.j2' %}
{% import 'lib.j2' as true %}
{{ self }} {{ self.x is defined }}
{{ self.x() }}
{{ caller }} {{ varargs }} {{ kwargs }} {{ super }} {{ loop }}
{{ caller() }}
{{ super() }}
a {{- ' b' }}  {{ 'c ' -}}  d {%- if 1 %}  e  {%- endif -%}  f
  {{- 1 -}}  {%+ if 1 %}  a {%+ endif +%}
b {#- c -#} d {#+ e +#}
  {% if 1 %}
  x
  {% endif %}
y
	{% if 1 %}	tab{% endif %}
{% if 1 %}
two{% endif %}
end
{{-5}} {{+5}} {{- 5}} {{ -5}} {{5-}}
{{ 5 - -5 }} {{ 5--5 }} {{ - - 5 }} {{ +-5 }}
{%- set a = 1 -%}  {{ a }}  {%- set b = 2 +%}
{{ '{{' }} {{ '}}' }} {{ "{%" }} {{ {'a': {'b': 1}} }} {{ {}}}
{{ {{ }} }}
{% set x = {'a': 1} %}{{ x['a'] }}{{x.a}}{{x . a}}{{ x
.a }}
{{ x }}{{ y }} }} %} #} { { } }
{ { x } } {x} {%%} {##}
{# a #}{# {{ x }} #}{#- #}|{##}
{# unclosed
{{ x
{% if x
{{ x }
{% if x }}
{{ x %}
{{ a b }}
{{ a, }}
{{ a[ }}
{{ a( }}
{{ 'a' if }}
{{ if }}
{{ for }} {{ in }}
{{ a if b else }}
{{ a is }}
{{ a not b }}
{{ not }}
{{ a..b }}
{{ a.1.b }}|{{ l.0 }}|{{ l.-1 }}
{{ a.'b' }}
{{ a ; b }}
{{ a = b }}
{{ a === b }}
{{ a ? b : c }}
{{ a && b }}
{{ a || b }}
{{ !a }}
{{ a | b | }}
{{ x.y.z|default('q') }}
{{ true.real }} {{ none.x is defined }} {{ true }} {{ True }} {{ none }} {{ None }} {{ TRUE is defined }} {{ nil is defined }} {{ null is defined }}
{{ x.__class__.__name__ }} {{ ''.__class__ }} {{ 5 .__class__ }} {{ [].__class__ }} {{ none.__class__ }} {{ 'a'.__len__() }} {{ [1].__contains__(1) }} {{ true.__class__.__mro__ }}
{{ x.upper }}
{{ 'a'.upper().lower().title() }} {{ 'a'.upper ().strip( ) }} {{ ('a').upper() }} {{ 'a b'.split()[1].upper() }}
{{ x.nope() }}
{{ 5() }}
{{ 'a'() }}
{{ none() }}
{{ (1).bit_length() }} {{ 255 .bit_length() }} {{ (1.5).is_integer() }} {{ 2.0.is_integer() }} {{ (0.75).as_integer_ratio() }} {{ 5 .as_integer_ratio() }} {{ 5 .bit_count() }} {{ true.bit_length() }}
{{ 变量 }} {{ naïve }} {{ _x1 }} {{ __x }} {{ é2 is defined }}
{{ a$b }}
{{ a·b is defined }}
{{ 1a }}
{{ a @ b }}
{{ 'é👍'[0] }}{{ 'é👍'[1] }}{{ 'é👍'[::-1] }}{{ 'é👍'|center(6) }}|{{ 'é👍'|truncate(1, true, '', 0) }}{{ '%5s' % '👍' }}{{ '{:>4}'.format('👍') }}{{ '👍'.ljust(3, '.') }}{{ ['👍', '\u200b', '\x00', '\xa0', '\u2028', '\ue000'] }}{{ '\ud83d' }}
{{ d }} {{ l }} {{ ls }} {{ ld }} {{ ll }} {{ x }} {{ f }} {{ n }} {{ b }} {{ z }} {{ s }} {{ t }}
{{ d|tojson }} {{ ld|tojson(indent=2) }} {{ x|tojson }} {{ ls|tojson }} {{ ld|pprint }} {{ d|pprint }} {{ x|pprint }}
{{ d|string|length }} {{ d|list|sort }} {{ d.items()|sort|first }} {{ d|dictsort|last }} {% for k, v in d|items %}{{ k }}={{ v }},{% endfor %}
{% for p in ld|sort(attribute='age') %}{{ loop.index }}. {{ p.name|default('?')|title }} ({{ '%.1f'|format(p.score) }}){{ ', ' if not loop.last }}{% endfor %}
{{ ld|groupby('nope', default='q')|pprint }} {{ [ld|groupby('name', default='q')|first]|pprint }} {{ 'a,b'.partition(','|e) }} {{ 'a,b'.rpartition(','|e) }} {{ 'ab'.partition(','|e) }} {{ ('a,b'|e).partition(',') }}
{{ nope in range(3) }} {{ nope in range(0) }} {{ nope not in range(5)[1:] }} {{ range(3).count(nope) }} {{ nope in {} }} {{ nope in () }} {{ nope in d.values() }} {{ nope in d.keys() }} {{ nope in 'abc' }} {{ nope in [nope] }} {{ [nope].index(nope) }} {{ [nope] == [nope] }} {{ [1].count(nope) }} {{ nope in d.items() }}
{{ (1, 2) in {1: 2}.items() }} {{ (1.0, 2) in {1: 2}.items() }} {{ (1, 3) in {1: 2}.items() }} {{ [1, 2] in {1: 2}.items() }} {{ ([], 2) in {1: 2}.items() }} {{ (1, nope) in {1: 2}.items() }} {{ (1, 2, 3) in {1: 2}.items() }} {{ {1: 2}.items() == {1: 2.0}.items() }} {{ {1: []}.items() == {1: []}.items() }} {{ 5 in {}.items() }}
{{ {}|dictsort(nope) }} {{ {1: 2}|dictsort(nope) }} {{ []|sort(case_sensitive=nope) }} {{ []|unique(nope)|list }} {{ []|min(nope) }} {{ []|groupby('a', case_sensitive=nope) }} {{ []|sort(nope) }} {{ {}|dictsort(reverse=nope) }} {{ []|join(nope) }} {{ []|batch(nope)|list }} {{ []|slice(nope)|list }} {{ 'a'|truncate(nope) }} {{ 'a'|center(nope) }} {{ 'a'|indent(nope) }} {{ 'a'|wordwrap(nope) }} {{ 1.5|round(nope) }} {{ 'a'|replace(nope, 'b') }} {{ []|sum(start=nope) }} {{ []|map(nope)|list }} {{ []|select(nope)|list }} {{ []|map(attribute=nope)|list }} {{ 'a'|default('b', nope) }} {{ x|tojson(nope) }} {{ 'a'|trim(nope) }} {{ 1|filesizeformat(nope) }} {{ '1'|int(nope) }} {{ 'x'|int(nope) }} {{ 'x'|int(0, nope) }} {{ 'x'|float(nope) }} {{ {}|xmlattr(nope) }} {{ 'a'|urlize(nope) }} {{ 'a'|attr(nope) }} {{ 'a%s'|format(nope) }}
{% for m in messages %}{{ m.role|upper }}: {{ m['content']|trim|truncate(12) }}
{% endfor %}{{ messages[0].content if messages else 'none' }}{{ messages|map(attribute='role')|unique|join('/') }}{{ messages|selectattr('role', 'eq', 'user')|list|length }}
{{ (ls|join(' ')).split()|map('lower')|unique|sort|join(',') }} {{ ls|map('length')|sum }} {{ ls|select('search', 'a')|list }}
{{ 'ABCD'[loop.index0] }}
{% for x1 in ls[:4] %}{{ 'ABCD'[loop.index0] }}. {{ x1 }}
{% endfor %}{{ 'ABCD'['ABCD'.index('B'):] }} {{ ['a', 'b'].index('b') }} {{ {'A': 0, 'B': 1}['A'] }} {{ ['no', 'yes'][b|int] }}
{{ -1 ** li|length }} {{ -2 ** n }} {{ (1 - 3) ** n }} {{ -2.5 ** (n - n) }} {{ -x ** 2 }} {{ [-1 ** li|length] }} {{ 2 * -1 ** li|length }} {{ -true ** (n * 2) }} {{ -0.0 ** (n * 0 + 1) }} {{ (-2) ** 2 ** (n * 0 + 2) }}
{{ 'ab' * -12345678901234567890123 }}
{{ 'ab' * 12345678901234567890123 }}
{{ 1.5 * 12345678901234567890123 }} {{ 12345678901234567890123 * 0.5 }} {{ [] * 5000000000 }} {{ '' * -5000000000 }}
{{ 2 ** 0.5 }} {{ 7.3 ** 1.1 }} {{ 10 ** -0.5 }} {{ 8 ** (1 / 3) }} {{ 74.75212649442255 ** 74.75212649442255 }} {{ 0.1 ** 300.5 }} {{ 1.0000001 ** 12345678.9 }} {{ 2.5 ** -1100.5 }} {{ 3 ** -2 }} {{ 2 ** 1023.5 }} {{ 0.5 ** 1074 }}
{{ 2.5 ** 1100.5 }}
{% include 1 %}
{% include 1 ignore missing %}
{% include 0 ignore missing %}ok{% include none ignore missing %}{% include {} ignore missing %}{% include range(0) ignore missing %}
{% include [1] ignore missing %}
{% include {'nope.j2': 1} ignore missing %}
{% include {-1: 1, 'nope.j2': 2} ignore missing %}
{% include ['nope.j2']|map('lower') ignore missing %}
{% include ['nope.j2', nope, 'part.j2'] ignore missing %}{% include {'part.j2': 1} %}{% include ['part.j2']|reverse %}
{{ 'a‍b'.isidentifier() }} {{ 'a・b'.isidentifier() }} {{ 'a·b'.isidentifier() }}
{{ 'o’neil straße ǆ'|title }}|{{ "they're bill's (friends) [from] {the} <uk>-usa a_b 3rd x1y"|title }}|{{ 'ALL CAPS\tTAB\x1fSEP'|title }}|{{ "they're 3rd x1y"|capitalize }}|{{ "they're 3rd x1y AB".title() }}|{{ ''|title }}{{ ''|capitalize }}
{{ '\x1c \u2003x\x85\x1f'|trim }}|{{ '\ufeffx\u200b'.strip() }}|{{ ' \n'|trim }}|{{ ' x'.rstrip() }}|{{ 'x '.lstrip() }}
{{ '%.1f|%.0f|%.9f' % (2.25, 2.5, 1.0) }} {{ '%.1f'|format(-0.0) }} {{ '%.2f'|format(1e22) }} {{ '%.2f'|format(3) }} {{ '%.2f'|format(true) }} {{ '%.2f' % -0.001 }} {{ '%.1f' % 1e400 }} {{ '%.3f' % n }}
{{ '%.1f'|format(1, 2) }}
{{ '%.1f'|format() }}
{{ '%.1f' % 'x' }}
{{ 'word wörd 👍 end of line'|truncate(9, leeway=0) }}|{{ 'no-spaces-at-all-here'|truncate(9, leeway=0) }}|{{ 'abc'|truncate(3) }}|{{ '👍👍👍👍👍👍👍👍'|truncate(4, true, '', 0) }}|{{ 'ab cd ef'|truncate(5, false, '', 0) }}|{{ ' abcdefghi'|truncate(6, false, '…', 0) }}
`
  .trim()
  .split('\n')

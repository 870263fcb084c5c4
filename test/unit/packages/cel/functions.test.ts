// Expressions that are true, by library: https://kubernetes.io/docs/reference/using-api/cel/
import { describe, expect, it } from 'vitest';
import { definitionProblems, details, ruled } from './rule.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 20 },
    list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    names: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5 } },
    map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
    time: { type: 'string', format: 'date-time' },
    span: { type: 'string', format: 'duration' },
    either: { 'x-kubernetes-int-or-string': true },
    fraction: { type: 'number' },
  },
};
const value = {
  text: 'héllo',
  list: [3, 1, 2],
  names: ['b', 'a'],
  map: { a: 1, b: 2 },
  time: '2024-02-29T23:30:15.250Z',
  span: '1h30m',
  either: '25%',
  fraction: 0.5,
};

const libraries: Readonly<Record<string, readonly string[]>> = {
  arithmetic: [
    '1 + 2 * 3 - 4 / 2 == 5',
    '7 % 3 == 1 && -7 % 3 == -1',
    '1.5 + 1.5 == 3.0 && 3.0 / 2.0 == 1.5 && 2.0 * 2.0 - 1.0 == 3.0',
    '1u + 2u == 3u && 3u - 1u == 2u && 2u * 3u == 6u && 7u / 2u == 3u && 7u % 2u == 1u',
    '-self.fraction == -0.5 && !(1 > 2)',
    "'a' + 'b' == 'ab' && b'a' + b'b' == b'ab' && [1] + [2] == [1, 2]",
    '1 < 2.5 && 2u > 1 && 2.5 >= 2 && 1 <= 1u',
    "'a' < 'b' && b'a' < b'b' && false < true && 'ab' > 'a' && '\\U0001F600' > '\\uffff'",
    "1 in [1, 2] && !(3 in [1, 2]) && 'a' in self.map && !('z' in self.map)",
    "dyn(1) == dyn(1.0) && dyn(1) == dyn(1u) && dyn(1) != dyn('1') && null == null",
    '[1, 2] != [1] && [[1]] == [[1]] && {1: 2} == {1: 2} && {1: 2} != {1: 3}',
    '{true: 1}[true] == 1 && {1u: 2}[1u] == 2 && [5, 6][1] == 6',
  ],
  strings: [
    "self.text.size() == 5 && size(b'ab') == 2 && self.list.size() == 3 && size(self.map) == 2",
    "self.text.contains('éll') && self.text.startsWith('hé') && self.text.endsWith('lo')",
    "self.text.charAt(1) == 'é' && self.text.charAt(5) == ''",
    "self.text.indexOf('l') == 2 && self.text.indexOf('l', 3) == 3 && self.text.indexOf('z') == -1",
    "self.text.lastIndexOf('l') == 3 && self.text.lastIndexOf('l', 2) == 2",
    "'aBc'.lowerAscii() == 'abc' && 'aBc'.upperAscii() == 'ABC' && 'É'.lowerAscii() == 'É'",
    "'aaa'.replace('a', 'b') == 'bbb' && 'aaa'.replace('a', 'b', 2) == 'bba' && 'ab'.replace('', '-') == '-a-b-' && 'ab'.replace('', '-', 1) == '-ab' && 'a'.replace('a', 'b', 0) == 'a'",
    "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a,b'.split(',', 0).size() == 0 && 'ab'.split('') == ['a', 'b'] && 'a,b'.split(',', -1).size() == 2",
    "self.text.substring(1) == 'éllo' && self.text.substring(1, 2) == 'é'",
    "' \\t a b \\n'.trim() == 'a b' && '   '.trim() == ''",
    "['a', 'b'].join() == 'ab' && ['a', 'b'].join(', ') == 'a, b'",
    'strings.quote(\'a"b\\n\') == \'"a\\\\"b\\\\n"\'',
    "'%s|%d|%.2f|%e|%b|%o|%x|%X|%%'.format(['a', 12, 1.0, 12.0, 5, 8, 255, 'hi']) == 'a|12|1.00|1.200000e+01|101|10|ff|6869|%'",
    "'%s %s %s %s'.format([[1, 'a'], {'k': true}, null, duration('90s')]) == '[1, \"a\"] {\"k\":true} null 90s'",
    "'%s %s %s %s %s'.format([1.5, 2u, b'x', timestamp(0), string]) == '1.5 2 x 1970-01-01T00:00:00Z string'",
    "'abc'.matches('^a.c$') && matches('abc', 'b') && !'abc'.matches('^b')",
    "'a1b22'.find('[0-9]+') == '1' && 'abc'.find('[0-9]') == '' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b22'.findAll('[0-9]+', 1) == ['1']",
  ],
  lists: [
    'self.list.min() == 1 && self.list.max() == 3 && self.list.sum() == 6 && !self.list.isSorted()',
    '[1.5, 2.5].sum() == 4.0 && [1u].sum() == 1u && [duration("1s"), duration("2s")].sum() == duration("3s") && self.list.filter(x, x > 9).sum() == 0',
    "self.names.indexOf('a') == 1 && self.names.lastIndexOf('b') == 0 && self.list.indexOf(9) == -1",
    "['a', 'b'].isSorted() && [1, 1].isSorted() && [].isSorted() == true",
    'self.list.sort() == [1, 2, 3] && self.list.reverse() == [2, 1, 3] && self.list.slice(1, 3) == [1, 2]',
    '[1, 1, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2] && [[[1]]].flatten(2) == [1]',
    'self.list.first() == optional.of(3) && self.list.last().value() == 2 && !self.list.filter(x, false).first().hasValue()',
    'lists.range(3) == [0, 1, 2] && lists.range(0) == []',
    'sets.contains(self.list, [1, 1]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.equivalent([1], [2])',
    'sets.intersects([1], [1, 2]) && !sets.intersects([], [1])',
  ],
  comprehensions: [
    'self.list.all(x, x > 0) && self.list.exists(x, x == 2) && self.list.exists_one(x, x == 2)',
    'self.list.map(x, x * 2) == [6, 2, 4] && self.list.map(x, x > 1, x) == [3, 2] && self.list.filter(x, x > 1) == [3, 2]',
    "self.map.all(k, self.map[k] > 0) && self.map.exists(k, k == 'a') && self.map.filter(k, k == 'a') == ['a']",
    'self.list.all(i, x, i < 3) && self.list.exists(i, x, i == 1 && x == 1) && self.list.existsOne(i, x, i == x - 1) == false',
    'self.list.exists_one(i, x, i == 0) && self.list.transformList(i, x, i + x) == [3, 2, 4] && self.list.transformList(i, x, i > 0, x) == [1, 2]',
    "self.map.transformMap(k, v, v + 1) == {'a': 2, 'b': 3} && self.map.transformMap(k, v, v > 1, v) == {'b': 2}",
    "self.list.transformMapEntry(i, x, {x: i}) == {3: 0, 1: 1, 2: 2} && self.map.transformMapEntry(k, v, v > 1, {v: k}) == {2: 'b'}",
    '[1, 2].map(x, [1, 2].map(y, x * y)) == [[1, 2], [2, 4]] && dyn([1]).all(x, x == 1) && dyn({"a": 1}).all(k, k == "a")',
    '[1, 0].exists(x, 1 / x == 1) && !([0, 2].all(x, 4 / x == 1))',
  ],
  conversions: [
    "int('12') == 12 && int(1.9) == 1 && int(-1.9) == -1 && int(3u) == 3 && int(4) == 4 && int(duration('1s')) == 1000000000 && int(timestamp(5)) == 5",
    "uint('1') == 1u && uint(1) == 1u && uint(1.2) == 1u && uint(2u) == 2u && double('1.5') == 1.5 && double(1) == 1.0 && double(1u) == 1.0 && double(2.0) == 2.0",
    "string(1) == '1' && string(1u) == '1' && string(1.5) == '1.5' && string(true) == 'true' && string(b'a') == 'a' && string('a') == 'a' && string(duration('1h')) == '3600s' && string(timestamp(0)) == '1970-01-01T00:00:00Z'",
    "bytes('é') == b'\\303\\251' && bytes(b'a') == b'a' && bool('true') && bool(true) && !bool('f')",
    "type(1) == int && type('a') == string && type([1]) == list && type({1: 2}) == map && type(1u) == uint && type(1.0) == double && type(null) == null_type && type(b'a') == bytes && type(true) == bool && type(int) == type",
    "type(duration('1s')) == google.protobuf.Duration && dyn(duration(duration('1s'))) == duration('1s') && timestamp(timestamp(1)) == timestamp(1)",
  ],
  optionals: [
    "self.?text.orValue('z') == 'héllo' && !self.map[?'z'].hasValue() && self.list[?0].value() == 3 && !self.list[?9].hasValue()",
    'optional.none().orValue(1) == 1 && optional.of(1).or(optional.of(2)) == optional.of(1) && optional.none().or(optional.of(2)).value() == 2',
    "!optional.ofNonZeroValue(0).hasValue() && optional.ofNonZeroValue('a').hasValue() && !optional.ofNonZeroValue('').hasValue() && !optional.ofNonZeroValue([]).hasValue() && !optional.ofNonZeroValue(0.0).hasValue() && !optional.ofNonZeroValue(false).hasValue() && !optional.ofNonZeroValue(0u).hasValue() && !optional.ofNonZeroValue(null).hasValue() && !optional.ofNonZeroValue(duration('0s')).hasValue()",
    "optional.of(2).optMap(x, x + 1).value() == 3 && optional.of(2).optFlatMap(x, optional.of(x)).value() == 2 && !self.map[?'z'].optMap(x, x + 1).hasValue()",
    "optional.of({'a': 1}).a == optional.of(1) && optional.of(dyn(1)).value() == 1 && optional.of(1) != optional.of(2)",
  ],
  times: [
    'self.time.getFullYear() == 2024 && self.time.getMonth() == 1 && self.time.getDate() == 29 && self.time.getDayOfMonth() == 28 && self.time.getDayOfWeek() == 4 && self.time.getDayOfYear() == 59 && self.time.getHours() == 23 && self.time.getMinutes() == 30 && self.time.getSeconds() == 15 && self.time.getMilliseconds() == 250',
    "self.time.getHours('+02:00') == 1 && self.time.getHours('-01:30') == 22 && self.time.getHours('Europe/Berlin') == 0 && self.time.getHours('UTC') == 23",
    "self.span == duration('90m') && self.span.getHours() == 1 && self.span.getMinutes() == 90 && self.span.getSeconds() == 5400 && duration('1.5s').getMilliseconds() == 500",
    "self.time - duration('1h') < self.time && self.time + duration('1h') > self.time && duration('1h') + self.time > self.time && self.time - self.time == duration('0s')",
    "duration('1h') - duration('30m') == duration('30m') && duration('-1s') < duration('0') && duration('1h1m1s1ms1us1ns') > duration('1h')",
    "timestamp('2024-01-01T00:00:00+01:00') == timestamp('2023-12-31T23:00:00Z') && timestamp('2024-01-01T00:00:00.5Z') > timestamp('2024-01-01T00:00:00Z')",
  ],
  quantities: [
    "quantity('1Gi').compareTo(quantity('1G')) == 1 && quantity('1000m') == quantity('1') && quantity('1e3') == quantity('1k')",
    "quantity('1').isLessThan(quantity('2')) && quantity('2').isGreaterThan(quantity('1')) && quantity('0.5Ki') == quantity('512')",
    "quantity('1').add(quantity('2')).asInteger() == 3 && quantity('1').sub(2).asInteger() == -1 && quantity('1').add(2).sub(quantity('1')).asInteger() == 2",
    "!quantity('1.5').isInteger() && quantity('2.0').isInteger() && quantity('1.5').asApproximateFloat() == 1.5 && sign(quantity('-1')) == -1 && sign(quantity('0')) == 0",
    "isQuantity('1.3Gi') && !isQuantity('1.3Zi') && !isQuantity('') && !isQuantity('1e999')",
  ],
  networks: [
    "ip('192.168.0.1').family() == 4 && ip('::1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
    "ip('169.254.1.1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast() && !ip('127.0.0.1').isGlobalUnicast() && string(ip('2001:DB8::0:1')) == '2001:db8::1' && ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')",
    "string(ip('1:0:0:2:0:0:0:3')) == '1:0:0:2::3' && string(ip('1:2:3:4:5:6:7:8')) == '1:2:3:4:5:6:7:8' && string(ip('::')) == '::'",
    "!isIP('1.2.3') && !isIP('1.2.3.256') && !isIP('::1::') && !isIP('1:2:3:4:5:6:7:8::') && !isIP('fe80::1%eth0') && isIP('::')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && !cidr('10.0.0.0/8').containsIP('11.0.0.0') && !cidr('10.0.0.0/8').containsIP('::1')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.0.0.0/8').containsCIDR(cidr('0.0.0.0/0')) && cidr('10.1.0.0/8').masked() == cidr('10.0.0.0/8') && cidr('::1/128').prefixLength() == 128 && cidr('10.1.0.0/8').ip() == ip('10.1.0.0') && string(cidr('10.0.0.0/8')) == '10.0.0.0/8'",
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0/8/8') && !isCIDR('10.0.0.0/08')",
    "url('https://u@a.b:80/p/q?x=1&x=2&y#f').getHost() == 'a.b:80' && url('https://a.b:80').getHostname() == 'a.b' && url('https://a.b:80').getPort() == '80' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('/p').getEscapedPath() == '/p' && url('https://a/b c'.replace(' ', '%20')).getEscapedPath() == '/b%20c' && url('https://a/p?x=1&x=2').getQuery() == {'x': ['1', '2']} && url('https://a').getScheme() == 'https' && url('https://a') == url('https://a')",
    "isURL('https://a') && isURL('/a') && !isURL('a') && !isURL('') && !isURL('https://a b') && !isURL('https://a:b') && !isURL('/%zz')",
  ],
  versions: [
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0')) && semver('1.0.0-rc.2').isGreaterThan(semver('1.0.0-rc.1')) && semver('1.0.0-a').isGreaterThan(semver('1.0.0-1')) && semver('1.0.0-a.b').isGreaterThan(semver('1.0.0-a'))",
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3 && semver('1.2.3').compareTo(semver('1.2.3')) == 0 && semver('v1', true) == semver('1.0.0') && semver('01.02', true) == semver('1.2.0')",
    "isSemver('1.0.0+build') && !isSemver('1.0') && !isSemver('v1.0.0') && isSemver('v1.0', true) && !isSemver('1.0.0-01')",
    "!isSemver('1.0-rc', true) && isSemver('1.0.-rc', true) && !isSemver(' 1.0.0', true) && semver('18446744073709551615.0.0').major() == -1",
  ],
  formats: [
    "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('-a').hasValue() && format.named('dns1123Label').hasValue() && !format.named('nope').hasValue()",
    "!format.dns1123Subdomain().validate('a.b').hasValue() && !format.dns1035Label().validate('a1').hasValue() && format.dns1035Label().validate('1a').hasValue() && !format.dns1123LabelPrefix().validate('a-').hasValue()",
    "!format.qualifiedName().validate('a.b/c').hasValue() && format.qualifiedName().validate('a/b/c').hasValue() && format.qualifiedName().validate('/c').hasValue() && !format.labelValue().validate('').hasValue() && format.labelValue().validate('-').hasValue()",
    "!format.uri().validate('https://a').hasValue() && !format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && !format.byte().validate('YQ==').hasValue() && !format.date().validate('2024-02-29').hasValue() && format.date().validate('2023-02-29').hasValue() && !format.datetime().validate('2024-01-01T00:00:00Z').hasValue()",
  ],
};

for (const [library, expressions] of Object.entries(libraries)) {
  describe(library, () => {
    it.each(expressions)('%s', expression => {
      expect(details(ruled(schema, expression), value)).toEqual([]);
    });
  });
}

it.each([
  { text: '@AZ[`az{é😀', upper: '@AZ[`AZ{é😀', lower: '@az[`az{é😀', reason: 'ASCII letters only' },
  {
    text: 'aBé'.repeat(5000),
    upper: 'ABé'.repeat(5000),
    lower: 'abé'.repeat(5000),
    reason: 'each part of a long text',
  },
  { text: '', upper: '', lower: '', reason: 'no text' },
])('upperAscii and lowerAscii change $reason', ({ text, upper, lower }) => {
  const ofText = { type: 'string', maxLength: 20_000 };
  const texts = { type: 'object', properties: { text: ofText, upper: ofText, lower: ofText } };
  const rule = 'self.text.upperAscii() == self.upper && self.text.lowerAscii() == self.lower';
  expect(details(ruled(texts, rule), { text, upper, lower })).toEqual([]);
});

describe('expressions that fail on a value', () => {
  it.each([
    ['9223372036854775807 + self.list[0] > 0', 'integer overflow'],
    ['-9223372036854775807 - self.list[0] > 0', 'integer overflow'],
    ['1u - 2u == 0u', 'unsigned integer overflow'],
    ['uint(self.list[0] - 9) == 0u', 'unsigned integer overflow'],
    ['int(self.fraction * 1e300) == 0', 'integer overflow'],
    ['int(self.text) == 0', "type conversion error from 'string' to 'int'"],
    ['double(self.text) == 0.0', "type conversion error from 'string' to 'double'"],
    ['bool(self.text)', "type conversion error from 'string' to 'bool'"],
    ["string(self.fraction < 1.0 ? b'\\377' : b'') == ''", 'invalid UTF-8'],
    ['self.list[7] == 1', 'index out of bounds: 7'],
    ['self.map.zz == 1', 'no such key: zz'],
    ["self.text.substring(9) == ''", 'index out of range: 9'],
    ["self.text.substring(2, 1) == ''", 'invalid substring range'],
    ['self.list.filter(x, x > 9).min() == 1', 'min called on empty list'],
    ['self.list.slice(2, 1) == []', 'cannot slice'],
    ['[[1]].flatten(-1) == []', 'level must be non-negative'],
    ["self.time.getHours('Mars/Base') == 1", 'unknown time zone'],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1h') > self.time", 'timestamp overflow'],
    ["quantity('1.5').asInteger() == 1", 'cannot convert value to integer'],
    ["'%d'.format(['a']) == ''", 'cannot show'],
    ["'%s %s'.format(['a']) == ''", 'out of range'],
    ["'%q'.format(['a']) == ''", 'unrecognized formatting clause'],
    ["'%'.format(['a']) == ''", 'unexpected end'],
    ["'%.999f'.format([1.0]) == ''", 'precision'],
    ['self.either > 1', 'no such overload'],
    ["self.names.transformMapEntry(i, v, {'same': v}).size() == 1", 'key already exists'],
    ["self.text.matches(self.text + '[')", 'missing closing ]'],
    ['{[1]: 1}.size() == 1', 'unsupported key type'],
  ])('%s', (expression, message) => {
    expect(details(ruled(schema, expression), value)).toEqual([expect.stringContaining(message)]);
  });
});

describe('literals that cannot be converted are refused at compile time', () => {
  it.each([
    "int('x') == 1",
    'uint(-1) == 1u',
    'int(1e300) == 1',
    "bool('x')",
    "double('x') == 1.0",
    "duration('1x') == duration('1s')",
    "timestamp('x') == timestamp(0)",
    "'a'.matches('[')",
    '99999999999999999999 > 0',
  ])('%s', expression => {
    expect(definitionProblems(ruled(schema, expression))).toEqual([expect.stringContaining('compilation failed')]);
  });
});

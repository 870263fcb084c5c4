// The table of work: every function of Go templates.
import { defaultLimits, parseTemplate, renderTemplate } from '@capi-serverless/go-template';
import { deepList, type InputClass, isText, type TextClass, textClasses, type UnitCase } from './unit-case.ts';

/**
 * Calls for each list of names. `F` is the name. `$t` and `$u` are equal texts of the class, `.l` and `.d` a list and a
 * map of the class, `$n` is the size. `ARGS` are many arguments.
 */
interface Group {
  readonly names: string;
  readonly calls: readonly string[];
  readonly square?: string;
  readonly isFixed?: boolean;
}

const everyPair = 'each item is compared with each other item';
const time = '(toDate "2006" "2020")';

const groups: readonly Group[] = [
  { names: 'trim upper lower title untitle initials swapcase nospace snakecase camelcase kebabcase', calls: ['F $t'] },
  { names: 'quote squote cat print println html js urlquery', calls: ['F $t', 'F .l', 'F ARGS'] },
  { names: 'toString toStrings', calls: ['F $t', 'F .l'] },
  { names: 'atoi int int64 float64 toDecimal len fromJson mustFromJson regexQuoteMeta semver', calls: ['F $t'] },
  { names: 'b64enc b32enc sha1sum sha256sum sha512sum adler32sum urlParse', calls: ['F $t'] },
  { names: 'b64dec', calls: ['F $t', 'F (b64enc $t)'] },
  { names: 'b32dec', calls: ['F $t', 'F (b32enc $t)'] },
  { names: 'base clean dir ext isAbs osBase osClean osDir osExt osIsAbs', calls: ['F $t', 'F (replace "a" "/" $t)'] },
  { names: 'trimAll trimall', calls: ['F "aB" $t', 'F $t $u'] },
  { names: 'trimPrefix trimSuffix hasPrefix hasSuffix', calls: ['F $t $u', 'F "a" $t'] },
  { names: 'contains', calls: ['F "zz" $t', 'F $t $u'] },
  { names: 'repeat indent nindent', calls: ['F 2 $t'] },
  { names: 'replace', calls: ['F "a" "bb" $t', 'F "" "-" $t'] },
  { names: 'substr', calls: ['F 1 -1 $t', 'F 1 3 $t'] },
  { names: 'trunc', calls: ['F -9 $t', 'F 9 $t', 'F -1 $t'] },
  { names: 'plural', calls: ['F "a" $t 2'] },
  { names: 'split splitList', calls: ['F "a" $t', 'F "" $t'] },
  { names: 'splitn', calls: ['F "a" 3 $t', 'F "" 3 $t'] },
  { names: 'join', calls: ['F "," .l', 'F $t .l'] },
  { names: 'sortAlpha', calls: ['F .l'] },
  { names: 'abbrev', calls: ['F 9 $t', 'F $n $t'] },
  { names: 'abbrevboth', calls: ['F 3 9 $t', 'F 5 $n $t'] },
  { names: 'wrap', calls: ['F 2 $t', 'F 80 $t'] },
  { names: 'wrapWith', calls: ['F 3 "-" $t', 'F 80 "" $t'] },
  { names: 'eq ne lt le gt ge', calls: ['F $t $u'] },
  { names: 'index', calls: ['F $t 1', 'F .l 0', 'F .d "k1"'] },
  { names: 'slice', calls: ['F $t 1 2', 'F .l 0 1'] },
  { names: 'mustSlice', calls: ['F .l 0 1'] },
  {
    names: 'printf',
    calls: ['F "%q %x % x %-9s %.3s" $t $t $t $t $t', 'F "%v" .l', 'F "%.0f" ARGS', 'F (repeat $n "%%")', 'F "%q" .l'],
  },
  { names: 'regexMatch mustRegexMatch regexFind mustRegexFind', calls: ['F "z+" $t', 'F "[a-z]{1,9}$" $t'] },
  { names: 'regexFindAll mustRegexFindAll regexSplit mustRegexSplit', calls: ['F "a" $t -1', 'F "[aé]." $t -1'] },
  {
    names: 'regexReplaceAll mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral',
    calls: ['F "(a)" $t "$1-"'],
  },
  { names: 'semverCompare', calls: ['F ">1.x" $t', 'F (repeat $n "1 ") "1.2.3"'] },
  { names: 'toDate mustToDate', calls: ['F "2006" $t', 'F (repeat $n "5") $t', 'F (repeat $n "Z07") $t'] },
  { names: 'mustDateModify must_date_modify', calls: [`F $t ${time}`, `F (repeat $n "1s") ${time}`] },
  { names: 'unixEpoch', calls: [`F ${time}`, `print (${time}.Format (repeat $n "5"))`] },
  { names: 'duration durationRound', calls: ['F $t', 'F (repeat $n "1s")'] },
  { names: 'decryptAES', calls: ['F "k" (b64enc (repeat $n "0123456789abcdef"))'] },
  { names: 'buildCustomCert', calls: ['F $t $u', 'F (b64enc $t) (b64enc $t)'] },
  { names: 'derivePassword', calls: ['F 1 "pin" "p" "u" $t'], isFixed: true },
  { names: 'toJson toPrettyJson toRawJson mustToJson mustToPrettyJson mustToRawJson', calls: ['F $t', 'F .l', 'F .d'] },
  { names: 'fail', calls: ['F $t'] },
  { names: 'default', calls: ['F $t ""', 'F "" $t'] },
  { names: 'coalesce all any', calls: ['F $t', 'F ARGS'] },
  { names: 'empty typeOf kindOf not', calls: ['F $t', 'F .l'] },
  { names: 'typeIs typeIsLike kindIs', calls: ['F $t $u', 'F "x" .l'] },
  { names: 'ternary', calls: ['F $t $u true'] },
  { names: 'list tuple dict add', calls: ['F ARGS'] },
  { names: 'max biggest min maxf minf mul mulf subf divf addf', calls: ['F ARGS', 'F $t 1'] },
  { names: 'sub div mod', calls: ['F $t 1'] },
  { names: 'add1 add1f ceil floor', calls: ['F $t'] },
  { names: 'round', calls: ['F $t 2'] },
  { names: 'until seq', calls: ['F $n'] },
  { names: 'untilStep', calls: ['F 0 $n 1'] },
  { names: 'append push mustAppend mustPush prepend mustPrepend', calls: ['F .l 1'] },
  { names: 'first mustFirst last mustLast rest mustRest initial mustInitial', calls: ['F .l'] },
  { names: 'reverse mustReverse compact mustCompact', calls: ['F .l'] },
  { names: 'uniq mustUniq', calls: ['F .l'], square: everyPair },
  { names: 'without mustWithout', calls: ['F .l "x"', 'F .l .l', 'F (list $t) $u'] },
  { names: 'has mustHas', calls: ['F "x" .l', 'F .l .l', 'F $t (list $u)'] },
  { names: 'chunk mustChunk', calls: ['F 3 .l'] },
  { names: 'concat', calls: ['F .l .l'] },
  { names: 'get', calls: ['F .d "x"', 'F .d $t'] },
  { names: 'hasKey unset', calls: ['F .d "x"', 'F .d $t'] },
  { names: 'set', calls: ['F .d "x" 1', 'F .d $t 1'] },
  { names: 'pluck', calls: ['F "x" .d .d'] },
  { names: 'keys', calls: ['F .d .d'] },
  { names: 'values', calls: ['F .d'] },
  { names: 'pick omit', calls: ['F .d "x" "k1"'] },
  { names: 'dig', calls: ['F "x" "y" 1 .d'] },
  { names: 'merge mustMerge mergeOverwrite mustMergeOverwrite', calls: ['F (dict) .d .d'] },
  { names: 'deepCopy mustDeepCopy', calls: ['F .d', 'F .l', 'F $t'] },
  { names: 'deepEqual', calls: ['F .d (deepCopy .d)', 'F .l (deepCopy .l)', 'F $t $u'] },
  { names: 'urlJoin', calls: ['F (dict "path" $t)', 'F (dict "host" "h" "userinfo" $t)'] },
  { names: 'and or', calls: ['F ARGS', 'F $t $u'] },
  { names: 'hello', calls: ['F'], isFixed: true },
  {
    names:
      'call bcrypt encryptAES genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey htpasswd randInt shuffle ago',
    calls: ['F $t'],
  },
];

/** Go literals of the parts of each class. */
const literals: Readonly<Record<TextClass, string>> = {
  ascii: '"aB c-1."',
  'two-byte': '"é"',
  emoji: '"😀"',
  'ill-formed': '"a\\xff\\xf0\\x9f"',
  'long line': '"abcdefghij"',
  'many lines': '"a\\n"',
};
const partLengths: Readonly<Record<TextClass, number>> = {
  ascii: 7,
  'two-byte': 1,
  emoji: 2,
  'ill-formed': 4,
  'long line': 10,
  'many lines': 2,
};

/** The parser refuses more levels of values. */
const mostLevels = 150;
/** Characters of one item, so that lists have about the size of the texts. */
const itemSize = 8;

function classesOf(call: string): readonly InputClass[] {
  if (call.includes('ARGS')) {
    return ['parts'];
  }
  const onValues = /\.[ld]\b/.test(call);
  const onTexts = call.includes('$t') || call.includes('$u');
  return [...(onTexts || !onValues ? textClasses : []), ...(onValues ? (['deep', 'wide'] as const) : [])];
}

function dataOf(input: InputClass, size: number): Readonly<Record<string, unknown>> {
  if (input === 'deep') {
    const list = deepList(Math.min(mostLevels, size));
    return { l: list, d: { k1: list } };
  }
  const items = Array.from({ length: input === 'wide' ? Math.ceil(size / itemSize) : 1 }, (_, at) => `k${at}`);
  return { l: items, d: Object.fromEntries(items.map(item => [item, item])) };
}

/** The number of calls in one rendering, so that the call outweighs the preparation of its input. */
const callsPerRun = 8;

function toCase(of: string, call: string, input: InputClass, group: Group): UnitCase {
  const { square, isFixed } = group;
  return {
    of,
    shown: call,
    input,
    ...(square === undefined || input === 'deep' ? {} : { square }),
    ...(isFixed === undefined ? {} : { isFixed }),
    prepare(size) {
      const text = isText(input) ? `repeat ${Math.ceil(size / partLengths[input])} ${literals[input]}` : '"x"';
      const called = call.replace('ARGS', '1 '.repeat(Math.ceil(size / itemSize)));
      const calls = isFixed === true ? 1 : callsPerRun;
      const template = `{{ $n := ${size} }}{{ $t := ${text} }}{{ $u := print $t "" }}{{ range until ${calls} }}{{ $x := ${called.replace(/\.([ld])\b/g, '$$.$1')} }}{{ end }}`;
      const parsed = parseTemplate(template, { name: 't', functions: 'sprig', missingKey: 'default' });
      if (!parsed.ok) {
        throw new Error(parsed.error);
      }
      const data = dataOf(input, size);
      return meter => {
        const rendered = renderTemplate(parsed.value, data, { ...defaultLimits, steps: 1e9, meter });
        return rendered.ok ? undefined : rendered.error;
      };
    },
  };
}

export const templateCases: readonly UnitCase[] = groups.flatMap(group =>
  group.names
    .split(' ')
    .flatMap(name =>
      group.calls.flatMap(call =>
        classesOf(call).map(input => toCase(name, call.replaceAll(/\bF\b/g, name), input, group)),
      ),
    ),
);

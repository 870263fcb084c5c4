// Names of the functions of templates. Parsing needs only the names, so admission does not load the implementations.
// https://pkg.go.dev/text/template#hdr-Functions, https://pkg.go.dev/github.com/Masterminds/sprig/v3#HermeticTxtFuncMap

/** 'sprig': with the hermetic text functions of sprig 3.3. 'none': only the functions of Go. */
export type TemplateFunctions = 'sprig' | 'none';

const ofGo = 'and call eq ge gt html index js le len lt ne not or print printf println slice urlquery';

const ofSprig = `
abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec b64enc base bcrypt
biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact concat contains decryptAES deepCopy
deepEqual default derivePassword dict dig dir div divf duration durationRound empty encryptAES ext fail first
float64 floor fromJson genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert
genSignedCertWithKey get has hasKey hasPrefix hasSuffix hello htpasswd indent initial initials int int64 isAbs
join kebabcase keys kindIs kindOf last list lower max maxf merge mergeOverwrite min minf mod mul mulf mustAppend
mustChunk mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson mustHas mustInitial mustLast mustMerge
mustMergeOverwrite mustPrepend mustPush mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll
mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice mustToDate mustToJson mustToPrettyJson
mustToRawJson mustUniq mustWithout must_date_modify nindent nospace omit osBase osClean osDir osExt osIsAbs pick
pluck plural prepend push quote randInt regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll
regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver semverCompare seq set sha1sum
sha256sum sha512sum shuffle slice snakecase sortAlpha split splitList splitn squote sub subf substr swapcase
ternary title toDate toDecimal toJson toPrettyJson toRawJson toString toStrings trim trimAll trimPrefix
trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset until untilStep untitle upper
urlJoin urlParse values without wrap wrapWith
`;

const toSet = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

export const goFunctionNames = toSet(ofGo);
export const sprigFunctionNames = toSet(ofSprig);

export function isFunction(name: string, functions: TemplateFunctions): boolean {
  return goFunctionNames.has(name) || (functions === 'sprig' && sprigFunctionNames.has(name));
}

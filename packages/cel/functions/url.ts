// URLs in Go's syntax: absolute URLs or absolute paths.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library
import { asKind, asText, costOf, define, type Overload, sizeIs } from '../overload.ts';
import { EvaluationProblem, toList, toMap, type UrlParts, type UrlValue } from '../value.ts';

const shape = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const hostShape = /^(\[[0-9A-Fa-f:.%]+\]|[^:[\]]*)(?::(\d*))?$/;

/** Returns undefined if the text is neither an absolute URL nor an absolute path. */
export function parseUrl(text: string): UrlParts | undefined {
  const [whole, scheme = '', authority = '', path = '', query = ''] = shape.exec(text) ?? [];
  if (
    whole === undefined ||
    !text.isWellFormed() ||
    /[^!-~\u0080-\u{10ffff}]/u.test(text) ||
    (scheme === '' && !path.startsWith('/')) ||
    (scheme === '' && authority !== '')
  ) {
    return undefined;
  }
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const split = hostShape.exec(host);
  const decoded = decodePath(path);
  if (split === null || decoded === undefined) {
    return undefined;
  }
  return {
    scheme,
    host,
    hostname: (split[1] ?? '').replace(/^\[|\]$/g, ''),
    port: split[2] ?? '',
    escapedPath: scheme !== '' && authority === '' && !path.startsWith('/') ? '' : escapePath(path, decoded),
    query: parseQuery(query),
  };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A path that is already escaped does not change. */
function escapePath(path: string, decoded: string): string {
  return /^(?:[A-Za-z0-9$&+,/:;=@._~!'()*[\]-]|%[0-9A-Fa-f]{2})*$/.test(path)
    ? path
    : encodeURIComponent(decoded).replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, part => decodeURIComponent(part));
}

function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const [key = '', value = ''] = pair.split(/=(.*)/s).map(part => decodePath(part.replaceAll('+', ' ')));
    const known = values.get(key) ?? [];
    known.push(value);
    values.set(key, known);
  }
  return values;
}

function urlOf(text: string): UrlValue {
  const parts = parseUrl(text);
  if (parts === undefined) {
    throw new EvaluationProblem(
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
    );
  }
  return { kind: 'url', text, parts };
}

const texts: readonly (readonly [name: string, read: (parts: UrlParts) => string])[] = [
  ['getScheme', ({ scheme }) => scheme],
  ['getHost', ({ host }) => host],
  ['getHostname', ({ hostname }) => hostname],
  ['getPort', ({ port }) => port],
  ['getEscapedPath', ({ escapedPath }) => escapedPath],
];

const reading = { cost: costOf.reading };

export const urls: readonly Overload[] = [
  define('url(string): kubernetes.URL', ([text]) => urlOf(asText(text)), reading),
  define('isURL(string): bool', ([text]) => parseUrl(asText(text)) !== undefined, { work: costOf.reading }),
  ...texts.map(([name, read]) =>
    define(`kubernetes.URL.${name}(): string`, ([url]) => read(asKind(url, 'url').parts), {
      resultSize: sizeIs.atMostFirst,
    }),
  ),
  define('kubernetes.URL.getQuery(): map<string, list<string>>', ([url]) =>
    toMap([...asKind(url, 'url').parts.query].map(([key, values]) => [key, toList(values)])),
  ),
];

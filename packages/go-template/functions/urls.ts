// Parses and formats URLs. https://masterminds.github.io/sprig/url.html
import { fromBytes, toBytes } from '../bytes.ts';
import { define, FunctionError, type FunctionTable } from '../call.ts';
import { goQuote } from '../quote.ts';
import { mapBytes } from '../text-builder.ts';
import { Dict, kindOf, type TemplateValue } from '../value.ts';

interface Url {
  readonly scheme: string;
  readonly opaque: string;
  readonly userinfo: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

const empty: Url = { scheme: '', opaque: '', userinfo: '', host: '', path: '', query: '', fragment: '' };

/** The reserved characters that are not escaped. */
const kept = {
  path: '$&+,/:;=@',
  fragment: '$&+,/:;=?@!()*',
  userinfo: '$&+,;=',
  host: '!$&\'()*+,;=:[]<>"',
} as const;

function escaped(text: string, keep: string): string {
  return mapBytes(toBytes(text), byte => {
    const character = String.fromCharCode(byte);
    const isPlain = byte < 0x80 && (/[A-Za-z0-9\-_.~]/.test(character) || keep.includes(character));
    return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

const percent = 0x25;

function unescaped(text: string): string {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/su.exec(text);
  if (bad !== null) {
    throw new FunctionError(`invalid URL escape ${goQuote(bad[0])}`);
  }
  const bytes = toBytes(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const isEscape = bytes[at] === percent;
    bytes[length] = isEscape
      ? Number.parseInt(String.fromCharCode(...bytes.subarray(at + 1, at + 3)), 16)
      : (bytes[at] ?? 0);
    at += isEscape ? 2 : 0;
    length += 1;
  }
  return fromBytes(bytes.subarray(0, length));
}

function schemeOf(text: string): string {
  if (text.startsWith(':')) {
    throw new FunctionError('missing protocol scheme');
  }
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
}

function parse(text: string): Url {
  const [whole = '', fragment] = cut(text, '#');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\0-\x1f\x7f]/.test(text)) {
    throw new FunctionError('net/url: invalid control character in URL');
  }
  const scheme = schemeOf(whole);
  const [rest = '', query = ''] = cut(whole.slice(scheme === '' ? 0 : scheme.length + 1), '?');
  const parsed = { ...empty, scheme: scheme.toLowerCase(), query, fragment: unescaped(fragment ?? '') };
  if (!rest.startsWith('/') && scheme !== '') {
    return { ...parsed, opaque: rest };
  }
  if (!rest.startsWith('/') && (rest.split('/')[0] ?? '').includes(':')) {
    throw new FunctionError('first path segment in URL cannot contain colon');
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    return { ...parsed, path: unescaped(rest) };
  }
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return { ...parsed, ...parseAuthority(authority), path: slash < 0 ? '' : unescaped(rest.slice(slash)) };
}

function cut(text: string, at: string): readonly [string, string | undefined] {
  const found = text.indexOf(at);
  return found < 0 ? [text, undefined] : [text.slice(0, found), text.slice(found + 1)];
}

function parseAuthority(authority: string): Pick<Url, 'host' | 'userinfo'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(authority.slice(at + 1));
  if (at < 0) {
    return { host, userinfo: '' };
  }
  const given = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%]*$/.test(given)) {
    throw new FunctionError('net/url: invalid userinfo');
  }
  const [name, password] = cut(given, ':');
  const shownPassword = password === undefined ? '' : `:${escaped(unescaped(password), kept.userinfo)}`;
  return { host, userinfo: escaped(unescaped(name), kept.userinfo) + shownPassword };
}

function parseHost(host: string): string {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) {
    throw new FunctionError("missing ']' in host");
  }
  const colon = host.indexOf(':', bracket + 1);
  const port = colon < 0 ? host.slice(bracket < 0 ? host.length : bracket + 1) : host.slice(colon);
  if (!/^(?::[0-9]*)?$/.test(port)) {
    throw new FunctionError(`invalid port ${goQuote(port)} after host`);
  }
  const bad = /[\\ ^`{|}]/.exec(host);
  if (bad !== null) {
    throw new FunctionError(`invalid character ${goQuote(bad[0])} in host name`);
  }
  return unescaped(host);
}

function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  return bracketed?.[1] ?? host.replace(/:[0-9]*$/, '');
}

function orThrow(tried: string, read: () => Url): Url {
  try {
    return read();
  } catch (error) {
    throw error instanceof FunctionError ? new FunctionError(`${tried}: ${error.message}`) : error;
  }
}

function taken(text: string): Dict {
  const url = orThrow(`unable to parse url: parse ${goQuote(text)}`, () => parse(text));
  return new Dict(new Map<string, TemplateValue>([...Object.entries(url), ['hostname', hostName(url.host)]]));
}

function member(dict: Dict, key: string): string {
  const value = dict.entries.get(key);
  if (!dict.entries.has(key)) {
    return '';
  }
  if (typeof value !== 'string') {
    throw new FunctionError(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`);
  }
  return value;
}

function joined(dict: Dict): string {
  const [scheme, opaque, host, path] = ['scheme', 'opaque', 'host', 'path'].map(key => member(dict, key));
  const [query, fragment, given] = ['query', 'fragment', 'userinfo'].map(key => member(dict, key));
  const userinfo = given === '' ? '' : `${userinfoOf(given ?? '')}@`;
  const start = scheme === '' ? '' : `${scheme}:`;
  const end = `${query === '' ? '' : `?${query}`}${fragment === '' ? '' : `#${escaped(fragment ?? '', kept.fragment)}`}`;
  if (opaque !== '') {
    return start + opaque + end;
  }
  const hasAuthority = host !== '' || userinfo !== '' || (scheme !== '' && path !== '');
  const authority = hasAuthority ? `//${userinfo}${escaped(host ?? '', kept.host)}` : '';
  const way = path === '*' ? '*' : escaped(path ?? '', kept.path);
  const slash = way !== '' && !way.startsWith('/') && host !== '' ? '/' : '';
  const isMistaken = start + authority === '' && (way.split('/')[0] ?? '').includes(':');
  return `${start}${authority}${slash}${isMistaken ? './' : ''}${way}${end}`;
}

function userinfoOf(given: string): string {
  const text = `proto://${given}@host`;
  return orThrow(`unable to parse userinfo in dict: parse ${goQuote(text)}`, () => parse(text)).userinfo;
}

/** Each part is read and decoded several times. */
const parsedPerStep = 10;

export const urlFunctions: FunctionTable = {
  urlParse: define(['string'], ([text], meter) => {
    meter.spend(text.length / parsedPerStep);
    return taken(text);
  }),
  urlJoin: define(['dict'], ([dict]) => joined(dict)),
};

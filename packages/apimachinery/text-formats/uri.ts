// Request URIs: absolute URIs or absolute paths, with the rules of Go's url.ParseRequestURI.
import { isAddress } from './addresses.ts';

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;
/** The characters of a host. Other ASCII characters are not allowed, even if escaped. */
const host = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"]|[^\0-\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/;
const userInfo = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*$/;
const wellEscaped = /^(?:[^%]|%[0-9A-Fa-f]{2})*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not occur
const control = /[\0-\x1f\x7f]/;

export function isRequestUri(text: string): boolean {
  if (text === '' || control.test(text)) {
    return false;
  }
  const [prefix = ''] = scheme.exec(text) ?? [];
  const [rest = ''] = text.slice(prefix.length).split('?');
  if (text === '*') {
    return true;
  }
  if (!rest.startsWith('/')) {
    return prefix !== '';
  }
  if (prefix === '' || !rest.startsWith('//')) {
    return wellEscaped.test(rest);
  }
  const end = rest.indexOf('/', 2);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
  return isAuthority(authority, prefix.toLowerCase()) && wellEscaped.test(end < 0 ? '' : rest.slice(end));
}

function isAuthority(authority: string, prefix: string): boolean {
  const at = authority.lastIndexOf('@');
  return userInfo.test(authority.slice(0, Math.max(at, 0))) && isHost(authority.slice(at + 1), prefix);
}

function isHost(text: string, prefix: string): boolean {
  const bracket = text.lastIndexOf('[');
  if (bracket >= 0) {
    const close = text.lastIndexOf(']');
    return bracket === 0 && close > 0 && isPort(text.slice(close + 1)) && isLiteral(text.slice(1, close));
  }
  const isStrict = prefix === 'http:' || prefix === 'https:';
  const colon = isStrict ? text.indexOf(':') : text.lastIndexOf(':');
  return (colon < 0 || isPort(text.slice(colon))) && host.test(text);
}

function isPort(text: string): boolean {
  return text === '' || /^:\d*$/.test(text);
}

/** Matches an IPv6 address, optionally with a zone after %25. */
function isLiteral(text: string): boolean {
  const [address = '', ...zone] = text.split('%25');
  return address.includes(':') && isAddress(address) && zone.every(part => part !== '' && !part.includes('%'));
}

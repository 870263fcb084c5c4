// The formats of texts in schemas, with the rules of the Go library of kube-apiserver.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
import { dnsLabelPattern } from './names/name-patterns.ts';
import { hasIPv4Format, isCidr, isIPv6, isMac } from './text-formats/addresses.ts';
import { isDate, isDateTime, isDuration } from './text-formats/dates.ts';
import { isEmail } from './text-formats/email.ts';
import { isRequestUri } from './text-formats/uri.ts';

export { isAddress } from './text-formats/addresses.ts';

type Check = (text: string) => boolean;

const hex = '[0-9a-f]';
const uuid = (third: string, fourth: string): Check => {
  const pattern = new RegExp(`^${hex}{8}-?${hex}{4}-?${third}-?${fourth}-?${hex}{12}$`, 'i');
  return text => pattern.test(text);
};

function matching(pattern: RegExp): Check {
  return text => pattern.test(text);
}

const shortName = new RegExp(`^${dnsLabelPattern}$`);
const color = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const space = '[\\t\\n\\f\\r ]*';

const textFormats: Readonly<Record<string, Check>> = {
  bsonobjectid: matching(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: hasIPv4Format,
  ipv6: text => isIPv6(text),
  cidr: isCidr,
  mac: isMac,
  uuid: uuid(`${hex}{4}`, `${hex}{4}`),
  uuid3: uuid(`3${hex}{3}`, `${hex}{4}`),
  uuid4: uuid(`4${hex}{3}`, `[89ab]${hex}{3}`),
  uuid5: uuid(`5${hex}{3}`, `[89ab]${hex}{3}`),
  isbn: text => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: text => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matching(
    new RegExp(`^rgb\\(${[color, color, color].map(each => `${space}${each}${space}`).join(',')}\\)$`),
  ),
  byte: text => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: text => text.length <= 63 && shortName.test(text),
  k8slongname: text => text.length <= 253 && text.split('.').every(part => shortName.test(part)),
};

/** Returns undefined for an unknown format, which schemas may contain. Hyphens in the name are ignored. */
export function textFormat(format: string): Check | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(textFormats, name) ? textFormats[name] : undefined;
}

/**
 * Host names consist of letters and symbols of any script. If there are several labels, the last one has only letters.
 */
const hostname =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;
const longestHostname = 255;
const longestLabel = 63;

function isHostname(text: string): boolean {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > longestHostname || text.split('.').some(label => new TextEncoder().encode(label).length > longestLabel)) {
    return false;
  }
  return hostname.test(text);
}

function digitsOf(text: string): readonly number[] {
  return [...text].map(digit => (digit === 'X' ? 10 : Number(digit)));
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, '');
  const sum = digitsOf(digits).reduce((total, digit, index) => total + (index + 1) * digit, 0);
  return /^[0-9]{9}[0-9X]$/.test(digits) && sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, '');
  const sum = digitsOf(digits).reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
  return /^[0-9]{13}$/.test(digits) && sum % 10 === 0;
}

const cardPattern =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** Card numbers have a valid check digit. Other characters are ignored. */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  const sum = digitsOf(digits)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)))
    .reduce((total, digit) => total + digit, 0);
  return cardPattern.test(digits) && sum % 10 === 0;
}

// The formats that schemas may name; unknown ones say nothing.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
import { RE2JS } from 're2js';
import { hasIPv4Format, isCidr, isIPv6, isMac } from './addresses.ts';
import { isDate, isDateTime, isDuration } from './dates.ts';
import { isEmail } from './email.ts';
import { isRequestUri } from './uri.ts';

type Check = (text: string) => boolean;

/** `name` is as written. Without `holds` it is a format of numbers. */
export interface KnownFormat {
  readonly name: string;
  readonly holds?: Check;
}

const hex = '[0-9a-f]';
const uuid = (third: string, fourth: string): Check => {
  const pattern = new RegExp(`^${hex}{8}-?${hex}{4}-?${third}-?${fourth}-?${hex}{12}$`, 'i');
  return text => pattern.test(text);
};

function matching(pattern: RegExp): Check {
  return text => pattern.test(text);
}

const shortName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
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
  k8sshortname: text => text.length <= 63 && new RegExp(`^${shortName}$`).test(text),
  k8slongname: text => text.length <= 253 && text.split('.').every(part => new RegExp(`^${shortName}$`).test(part)),
};

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** The format, if values of these types can have it. Hyphens in its name do not count. */
export function knownFormat(types: readonly string[], format: string | undefined): KnownFormat | undefined {
  const [type = 'string', second] = types;
  if (second !== undefined || type === 'string') {
    const known = anyFormat(format);
    return known?.holds === undefined ? undefined : known;
  }
  const name = numberFormat(types, format);
  return name === undefined ? undefined : { name };
}

/** The format, known or not, whatever the type. */
export function anyFormat(format: string | undefined): KnownFormat | undefined {
  if (format === undefined) {
    return undefined;
  }
  const name = format.replaceAll('-', '');
  const holds = Object.hasOwn(textFormats, name) ? textFormats[name] : undefined;
  return { name: format, ...(holds === undefined ? {} : { holds }) };
}

/** The format, if it is one of numbers of this one type. */
export function numberFormat(types: readonly string[], format: string | undefined): string | undefined {
  const [type = '', second] = types;
  return second === undefined && format !== undefined && numberFormats[type]?.includes(format) === true
    ? format
    : undefined;
}

/** Letters and symbols of any script; the last label is letters only where there are several. In linear time whatever the text. */
const hostnamePattern =
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|' +
  '([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$';
const longestHostname = 255;
const longestLabel = 63;
let hostname: RE2JS | undefined;

function isHostname(text: string): boolean {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > longestHostname || text.split('.').some(label => new TextEncoder().encode(label).length > longestLabel)) {
    return false;
  }
  hostname ??= RE2JS.compile(hostnamePattern);
  return hostname.matcher(text).find();
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

/** Digits of a card, with anything between them, that fit their check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  const sum = digitsOf(digits)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)))
    .reduce((total, digit) => total + digit, 0);
  return cardPattern.test(digits) && sum % 10 === 0;
}

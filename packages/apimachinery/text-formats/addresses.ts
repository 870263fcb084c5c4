// The formats of IP addresses and ranges, with the rules of Kubernetes.

/** Matches four numbers up to 255. Unless `strict`, leading zeros are allowed, as in Kubernetes. */
function isDotted(text: string, strict: boolean): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every(part => isOctet(part, strict));
}

function isOctet(part: string, strict: boolean): boolean {
  return /^\d+$/.test(part) && Number(part) <= 255 && !(strict && part.length > 1 && part.startsWith('0'));
}

function isIPv4(text: string): boolean {
  return isDotted(text, false);
}

/** The format also accepts IPv6 addresses with an IPv4 suffix. */
export function hasIPv4Format(text: string): boolean {
  return text.includes('.') && (isIPv4(text) || isIPv6(text, false));
}

/** `strict` allows no leading zeros in an IPv4 suffix. */
export function isIPv6(text: string, strict = true): boolean {
  const halves = text.split('::');
  const [head = '', tail] = halves;
  if (halves.length > 2) {
    return false;
  }
  const groups = [...groupsOf(head), ...groupsOf(tail ?? '')];
  const last = groups.at(-1);
  const hasDotted = last?.includes('.') === true && (tail === undefined || tail !== '');
  const hexGroups = hasDotted ? groups.slice(0, -1) : groups;
  const size = hexGroups.length + (hasDotted ? 2 : 0);
  const isComplete = tail === undefined ? size === 8 : size <= 7;
  return isComplete && hexGroups.every(isHexGroup) && (!hasDotted || isDotted(last, strict));
}

function groupsOf(half: string): readonly string[] {
  return half === '' ? [] : half.split(':');
}

function isHexGroup(group: string): boolean {
  return /^[0-9a-fA-F]{1,4}$/.test(group);
}

/** Matches any IP address without a zone. */
export function isAddress(text: string): boolean {
  return isDotted(text, true) || isIPv6(text);
}

/** Matches an address with a prefix length. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  const address = text.slice(0, Math.max(slash, 0));
  const prefix = text.slice(slash + 1);
  const longest = isIPv4(address) ? 32 : isIPv6(address, false) ? 128 : -1;
  return slash >= 0 && /^\d{1,6}$/.test(prefix) && Number(prefix) <= longest;
}

/** Matches six, eight or twenty bytes, separated by colons, hyphens, dots or nothing. */
export function isMac(text: string): boolean {
  const bytes = text.replaceAll(/[:.-]/g, '').length / 2;
  const isSpelled =
    /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})+$/.test(text) ||
    /^[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2})+$/.test(text) ||
    /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text) ||
    /^[0-9a-fA-F]+$/.test(text);
  return isSpelled && (bytes === 6 || bytes === 8 || bytes === 20);
}

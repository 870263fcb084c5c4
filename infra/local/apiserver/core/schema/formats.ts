// The formats that schemas name; unknown ones say nothing, as on real servers.

const dateTimePattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const int32Limit = 2 ** 31;

/** Whether the text is standard base64 with padding. */
export function isBase64(text: string): boolean {
  return base64Pattern.test(text);
}

/** What the value should be, when it is not of this format. */
export function problemOfFormat(value: string | number, format: string): string | undefined {
  const [holds, expected] = check(value, format);
  return holds ? undefined : expected;
}

function check(value: string | number, format: string): readonly [boolean, string] {
  switch (format) {
    case 'int32':
      return [typeof value !== 'number' || (value >= -int32Limit && value < int32Limit), 'a 32 bit integer'];
    case 'int64':
      return [typeof value !== 'number' || Number.isSafeInteger(value), 'a 64 bit integer'];
    case 'date-time':
      return [typeof value !== 'string' || isDateTime(value), 'a date and time of RFC 3339'];
    case 'byte':
      return [typeof value !== 'string' || isBase64(value), 'base64'];
    default:
      return [true, ''];
  }
}

function isDateTime(text: string): boolean {
  return dateTimePattern.test(text) && !Number.isNaN(Date.parse(text));
}

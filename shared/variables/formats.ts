// The known formats of schemas. Unknown formats are ignored.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { textFormat } from '@capi-serverless/apimachinery/text-formats';

type Check = (text: string) => boolean;

/** `name` is the format as written in the schema. Formats of numbers have no `holds`. */
export interface KnownFormat {
  readonly name: string;
  readonly holds?: Check;
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Returns the format if it applies to these types. Hyphens in its name are ignored. */
export function knownFormat(types: readonly string[], format: string | undefined): KnownFormat | undefined {
  const [type = 'string', second] = types;
  if (second !== undefined || type === 'string') {
    const known = anyFormat(format);
    return known?.holds === undefined ? undefined : known;
  }
  const name = numberFormat(types, format);
  return name === undefined ? undefined : { name };
}

/** Returns the format for any type, known or unknown. */
export function anyFormat(format: string | undefined): KnownFormat | undefined {
  if (format === undefined) {
    return undefined;
  }
  const holds = textFormat(format);
  return { name: format, ...withoutUndefined({ holds }) };
}

/** Returns the format if it is a number format of this single type. */
export function numberFormat(types: readonly string[], format: string | undefined): string | undefined {
  const [type = '', second] = types;
  return second === undefined && format !== undefined && numberFormats[type]?.includes(format) === true
    ? format
    : undefined;
}

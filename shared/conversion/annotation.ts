// The annotation in which a conversion to an older version keeps what that version cannot express.
import { isJsonObject, memberOf, toRecord, unlessEmpty } from '@capi-serverless/apimachinery';
import { ConversionError } from './conversion-error.ts';

const conversionDataAnnotation = 'cluster.x-k8s.io/conversion-data';

interface ReadAnnotation {
  /** The metadata without the annotation. */
  readonly metadata: unknown;
  /** The value of the annotation. `undefined` without annotation. */
  readonly data?: unknown;
}

/** Throws ConversionError if the annotation is not JSON. */
export function readAnnotation(metadata: unknown): ReadAnnotation {
  const annotations = memberOf(metadata, 'annotations');
  const text = memberOf(annotations, conversionDataAnnotation);
  if (text === undefined || !isJsonObject(annotations) || !isJsonObject(metadata)) {
    return { metadata };
  }
  const { [conversionDataAnnotation]: _, ...others } = annotations;
  const { annotations: __, ...rest } = metadata;
  const remaining = unlessEmpty(others);
  return {
    metadata: remaining === undefined ? rest : { ...metadata, annotations: remaining },
    data: parseData(String(text)),
  };
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConversionError(`annotation ${conversionDataAnnotation} is not JSON`);
  }
}

/** Replaces an annotation that is there. */
export function withAnnotation(metadata: unknown, data: unknown): unknown {
  const annotations = memberOf(metadata, 'annotations');
  return {
    ...toRecord(metadata),
    annotations: { ...toRecord(annotations), [conversionDataAnnotation]: toGoJson(data) },
  };
}

/** These characters are escaped in the JSON that Cluster API writes. */
function toGoJson(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    character => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

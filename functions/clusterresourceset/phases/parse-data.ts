// Parses the data of a ConfigMap or Secret to objects. A tenant writes the data, so their size and the work are limited.
// No error quotes them, because they may be those of a Secret.
import {
  bytesPerUnit,
  type Checked,
  invalid,
  isJsonObject,
  type JsonObject,
  prefixed,
  valid,
  WorkLimitError,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { decodeYaml11 } from '@capi-serverless/go-template/yaml';
import { inOrderOfKinds, mostObjects, type ObjectManifest, toManifest } from './manifest.ts';

/** One value of the data. */
export interface DataValue {
  readonly key: string;
  readonly text: string;
}

/** The data of a ConfigMap or Secret may have this size in total. */
const maxCharacters = 1024 * 1024;
const deepestObject = 200;
/** A list in JSON must begin within this number of characters, as in upstream. */
const prefixCharacters = 32;
/** An upper bound of the work per step of the YAML parser. */
const unitsPerStep = 64;

const conversionProblem = 'failed converting data to unstructured objects';

/**
 * Returns the objects in order: values as given, then documents, those of one value sorted by kind. `meter`: the work of
 * the pass, which ends with an error of this resource.
 */
export function parseData(values: readonly DataValue[], meter?: WorkMeter): Checked<readonly ObjectManifest[]> {
  const size = values.reduce((sum, { text }) => sum + text.length, 0);
  if (size > maxCharacters) {
    return invalid(`limit exceeded: the data have more than ${maxCharacters} characters`);
  }
  const manifests: ObjectManifest[] = [];
  try {
    for (const { key, text } of values) {
      const objects = parseValue(text, meter);
      if (!objects.ok) {
        return invalid(`${conversionProblem}: key ${JSON.stringify(key)}: ${objects.error}`);
      }
      manifests.push(...inOrderOfKinds(objects.value.map(toManifest)));
      if (manifests.length > mostObjects) {
        return invalid(`limit exceeded: the data describe more than ${mostObjects} objects`);
      }
    }
  } catch (error) {
    if (error instanceof WorkLimitError) {
      return invalid(`${conversionProblem}: ${error.message}`);
    }
    throw error;
  }
  return valid(manifests);
}

function parseValue(text: string, meter: WorkMeter | undefined): Checked<readonly JsonObject[]> {
  return text.slice(0, prefixCharacters).trimStart().startsWith('[')
    ? parseList(text, meter)
    : parseDocuments(text, meter);
}

/** A list of objects in JSON. */
function parseList(text: string, meter: WorkMeter | undefined): Checked<readonly JsonObject[]> {
  meter?.charge(text.length * 2);
  const list = parseJson(text);
  return Array.isArray(list) && list.every(isJsonObject) && !isDeeper(list, deepestObject + 1)
    ? valid(list)
    : invalid('the value is not a JSON list of objects');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The check is not recursive, because a text of 1 MiB can have half a million levels. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) {
      return true;
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

function parseDocuments(text: string, meter: WorkMeter | undefined): Checked<readonly JsonObject[]> {
  const documents = splitDocuments(text);
  if (!documents.ok) {
    return documents;
  }
  const objects: JsonObject[] = [];
  for (const [index, document] of documents.value.entries()) {
    const object = prefixed(
      parseDocument(document, meter),
      `failed to unmarshal the ${toOrdinal(index + 1)} yaml document`,
    );
    if (!object.ok) {
      return object;
    }
    if (object.value !== undefined) {
      objects.push(object.value);
    }
    if (objects.length > mostObjects) {
      // The caller reports the limit. Further documents are not parsed.
      break;
    }
  }
  return valid(objects);
}

/** Returns `undefined` for an empty document. */
function parseDocument(text: string, meter: WorkMeter | undefined): Checked<JsonObject | undefined> {
  const charge = (units: number): void => meter?.charge(units);
  const decoded = decodeYaml11(text, {
    spend: steps => charge(steps * unitsPerStep),
    hold: bytes => charge(bytes / bytesPerUnit),
  });
  if (!decoded.ok) {
    return invalid(withoutQuotes(decoded.error));
  }
  if (decoded.value === null) {
    return valid(undefined);
  }
  return isJsonObject(decoded.value) ? valid(decoded.value) : invalid('the document is not an object');
}

/** Keeps the line of the problem. The rest of the message may quote the document. */
function withoutQuotes(error: string): string {
  if (error.includes('limit exceeded: ')) {
    return 'limit exceeded';
  }
  const line = / yaml: line (\d+): /.exec(error)?.[1];
  return line === undefined ? 'not YAML' : `not YAML, line ${line}`;
}

/** As upstream: 1st, 2nd, 3rd, 4th, 11st. */
function toOrdinal(number: number): string {
  const endings = ['th', 'st', 'nd', 'rd'];
  return `${number}${endings[number % 10] ?? 'th'}`;
}

const separator = '---';

/** A line that begins with `---` ends a document. Only spaces or a comment may follow. */
function splitDocuments(text: string): Checked<readonly string[]> {
  const documents: string[] = [];
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith(separator)) {
      lines.push(line);
      continue;
    }
    const rest = line.slice(separator.length).trim();
    if (rest !== '' && !rest.startsWith('#')) {
      // The rest may be part of a Secret, so it is not quoted.
      return invalid('failed to read yaml: invalid Yaml document separator');
    }
    documents.push(lines.join('\n'));
    lines = [];
  }
  return valid([...documents, lines.join('\n')]);
}

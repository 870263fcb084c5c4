// Converts generated objects with upstream's code and with ours, and collects the differences.
import { isDeepStrictEqual } from 'node:util';
import { groupBy, invalid, isJsonObject, memberOf, toApiVersion, valid } from '@capi-serverless/apimachinery';
import type { ApiVersionOf } from '../../shared/conversion/conversion.ts';
import { type ConvertedObject, convert } from '../../shared/conversion/convert.ts';
import { type ConvertibleKind, convertibleKinds, storedVersion } from '../../shared/conversion/kinds.ts';
import { type ConversionAnswer, convertUpstream } from './converter.ts';
import { generateObjects } from './generated-objects.ts';
import { knownDifferenceOf } from './known-differences.ts';

const dataAnnotation = 'cluster.x-k8s.io/conversion-data';
const batchSize = 2000;

interface Difference {
  readonly to: string;
  readonly object: unknown;
  readonly upstream: unknown;
  readonly ours: unknown;
}

interface Comparison {
  readonly kind: string;
  readonly version: string;
  /** The number of conversions that were compared. */
  readonly compared: number;
  /** The number of objects that both refuse. */
  readonly refused: number;
  readonly known: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
}

/** All pairs of a kind and an older version. */
export const comparedPairs = convertibleKinds.flatMap(kind =>
  kind.olderVersions.map(version => ({ ...kind, version })),
);

interface Options {
  readonly program: string;
  readonly seed: string;
  /** The number of generated objects per version. */
  readonly count: number;
}

/** Converts objects in both directions, there and back, and back after a client has changed them. */
export function compare(kind: ConvertibleKind & { readonly version: string }, options: Options): Comparison {
  const found = new Findings(options.program);
  for (let at = 0; at < options.count; at += batchSize) {
    const count = Math.min(batchSize, options.count - at);
    const seed = `${options.seed}/${at}`;
    const older = generateObjects(seed, kind, kind.version, count);
    const newer = generateObjects(seed, kind, storedVersion, count);
    const stored = found.compare(older, storedVersion);
    found.compare(stored.filter(isObject), kind.version);
    const down = found.compare(newer, kind.version);
    found.compare(down.filter(isObject), storedVersion);
    found.compare(down.flatMap(withoutData), storedVersion);
    found.compare(
      older.flatMap((object, index) => withData(object, down[index])),
      storedVersion,
    );
    for (const other of kind.olderVersions.filter(each => each !== kind.version)) {
      found.compare(older, other);
    }
  }
  return { kind: kind.kind, version: kind.version, ...found.result() };
}

class Findings {
  readonly #program: string;
  readonly #differences: Difference[] = [];
  readonly #known: string[] = [];
  #compared = 0;
  #refused = 0;

  constructor(program: string) {
    this.#program = program;
  }

  /** Returns what upstream's code returns for each object. */
  compare(objects: readonly unknown[], to: string): readonly unknown[] {
    const answers = convertUpstream(
      this.#program,
      objects.map(object => ({ to, object })),
    );
    return answers.map((answer, at) => {
      const object = objects[at];
      const ours = convertOurs(object, to);
      this.#compared += 1;
      this.#refused += 'error' in answer && 'error' in ours ? 1 : 0;
      if (!isSame(answer, ours)) {
        const difference = { to, object, upstream: normalise(answer), ours: normalise(ours) };
        const known = knownDifferenceOf({ object, upstream: answer, ours });
        if (known === undefined) {
          this.#differences.push(difference);
        } else {
          this.#known.push(known);
        }
      }
      return 'object' in answer ? answer.object : undefined;
    });
  }

  result(): Omit<Comparison, 'kind' | 'version'> {
    const known = Object.fromEntries([...groupBy(this.#known, each => each)].map(([name, all]) => [name, all.length]));
    return { compared: this.#compared, refused: this.#refused, known, differences: this.#differences };
  }
}

function isObject(value: unknown): boolean {
  return value !== undefined;
}

/** A client that does not know the annotation drops it. */
function withoutData(object: unknown): readonly unknown[] {
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) {
    return [];
  }
  const { annotations: _, ...metadata } = object['metadata'];
  return [{ ...object, metadata }];
}

/** A client may change all fields, and keeps the annotation. */
function withData(object: Readonly<Record<string, unknown>>, down: unknown): readonly unknown[] {
  const data = memberOf(memberOf(memberOf(down, 'metadata'), 'annotations'), dataAnnotation);
  const metadata = object['metadata'];
  return data === undefined || !isJsonObject(metadata)
    ? []
    : [{ ...object, metadata: { ...metadata, annotations: { [dataAnnotation]: data } } }];
}

function convertOurs(object: unknown, to: string): ConversionAnswer {
  // True: the generator writes objects with a version and a kind.
  const converted = convert(object as ConvertedObject, to, apiVersionOf);
  return converted.ok ? { object: JSON.parse(JSON.stringify(converted.value)) } : { error: converted.error };
}

/** The Go program answers the same. */
const apiVersionOf: ApiVersionOf = (group, kind) =>
  kind === '' || kind === 'Unknown'
    ? invalid(`no definition of "${kind}" in group "${group}"`)
    : valid(toApiVersion({ group, version: 'v1beta7' }));

function isSame(upstream: ConversionAnswer, ours: ConversionAnswer): boolean {
  if ('error' in upstream) {
    return 'error' in ours && (!upstream.error.startsWith('failed to convert object') || upstream.error === ours.error);
  }
  return isDeepStrictEqual(normalise(upstream), normalise(ours));
}

/**
 * Only labels and annotations of the metadata count, because an API server restores the rest. Empty maps are absent. The
 * annotation is compared as JSON, and without its empty metadata.
 */
function normalise(answer: ConversionAnswer): unknown {
  if ('error' in answer) {
    return answer;
  }
  const { metadata, ...fields } = answer.object;
  const labels = nonEmpty(memberOf(metadata, 'labels'));
  const annotations = nonEmpty(memberOf(metadata, 'annotations'));
  const data = memberOf(annotations, dataAnnotation);
  return {
    ...fields,
    labels,
    annotations: data === undefined ? annotations : { ...annotations, data: parsed(data), [dataAnnotation]: '' },
  };
}

function nonEmpty(map: unknown): Readonly<Record<string, unknown>> | undefined {
  return isJsonObject(map) && Object.keys(map).length > 0 ? map : undefined;
}

function parsed(text: unknown): unknown {
  try {
    const value = JSON.parse(String(text));
    const { metadata, ...others } = value;
    return isDeepStrictEqual(metadata, {}) ? others : value;
  } catch {
    return text;
  }
}

// The API versions in which objects of an older version refer to kinds of providers. The stored version has no version in
// its references; the labels of the CRD of the kind have it. They are kept for minutes, because an API server converts every
// object of a list.
import {
  type Answer,
  type Checked,
  type Clock,
  invalid,
  type ObjectMeta,
  type ObjectRef,
  type Reads,
  valid,
} from '@capi-serverless/apimachinery';
import { apiVersionByLabels, type LabelledDefinition } from '../../shared/conversion/api-version-of.ts';
import type { ApiVersionOf } from '../../shared/conversion/conversion.ts';
import { ReviewReadError } from '../../shared/lambda/review-read-error.ts';

/** An upgraded provider serves its former versions for much longer than this. */
const keptMs = 5 * 60_000;
/** Shorter, because a provider may have been installed meanwhile. */
const missingKeptMs = 30_000;
/** Clients choose the names in references, so the memory is limited. */
const mostKept = 1_000;
/** Likewise the reads. An object refers to a few kinds. */
const mostReads = 100;

const definitionRef = (name: string): ObjectRef => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name },
});

type Definition = Checked<LabelledDefinition>;

export class ReferenceVersions {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly definition: Definition; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a conversion, which must be pure. If it asks for CRDs that are not known, they are read, and it runs again.
   * `connect` is called only then. Rejects with ReviewReadError if `connect` does, or if there are too many CRDs to read.
   */
  async resolve<T>(
    connect: () => Promise<Pick<Reads, 'metadata'>>,
    convert: (apiVersionOf: ApiVersionOf) => T,
  ): Promise<T> {
    const now = this.#clock.now();
    // What a review has seen stays known to it, however long it takes.
    const seen = new Map<string, Definition>();
    const unknown = new Set<string>();
    const apiVersionOf = apiVersionByLabels(name => {
      const definition = seen.get(name) ?? this.#find(name, now);
      if (definition === undefined) {
        unknown.add(name);
        return anyDefinition;
      }
      seen.set(name, definition);
      return definition;
    });
    const result = convert(apiVersionOf);
    if (unknown.size === 0) {
      return result;
    }
    if (unknown.size > mostReads) {
      throw new ReviewReadError(`the objects refer to ${unknown.size} unknown kinds; ${mostReads} are the limit`);
    }
    const reads = await connect();
    await Promise.all([...unknown].map(async name => seen.set(name, await this.#read(reads, name))));
    return convert(apiVersionOf);
  }

  #find(name: string, now: number): Definition | undefined {
    const kept = this.#kept.get(name);
    return kept !== undefined && now < kept.until ? kept.definition : undefined;
  }

  async #read(reads: Pick<Reads, 'metadata'>, name: string): Promise<Definition> {
    const answer = await reads.metadata(definitionRef(name));
    const definition = toDefinition(answer, name);
    if (answer.ok || answer.missing) {
      const oldest = this.#kept.size < mostKept ? undefined : this.#kept.keys().next().value;
      this.#kept.delete(oldest ?? name);
      this.#kept.set(name, { definition, until: this.#clock.now() + (answer.ok ? keptMs : missingKeptMs) });
    }
    return definition;
  }
}

/** What a conversion gets in place of a CRD that will be read. Its result is dropped. */
const anyDefinition: Definition = valid({ labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' } });

/** Upstream reads CRDs from a cache, whose text for a missing one differs from that of an API server. */
function toDefinition(answer: Answer<ObjectMeta>, name: string): Definition {
  if (answer.ok) {
    return valid(answer.value);
  }
  return invalid(
    answer.missing
      ? `CustomResourceDefinition.apiextensions.k8s.io ${JSON.stringify(name)} not found`
      : answer.failure.message,
  );
}

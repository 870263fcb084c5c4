// The recorded objects of one scenario: which ones belong to it, and when one of them changed last.
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import type { ParityScenario } from './corpus.ts';
import type { CorpusCode, SeenObjects } from './corpus-code.ts';

interface RecordingOptions {
  readonly scenario: Pick<ParityScenario, 'kind'>;
  readonly code: Pick<CorpusCode, 'recordedKinds' | 'isFamily' | 'kinds'>;
  /** The first one is the prefix of the names of cluster-scoped objects. */
  readonly namespaces: readonly string[];
  now(): Instant;
}

/** Every namespace contains this ConfigMap. */
const rootAuthority = 'kube-root-ca.crt';

export class RecordedObjects {
  readonly kinds: readonly string[];
  readonly seen: SeenObjects = new Map();
  readonly #options: RecordingOptions;
  /** The Events that were seen. They count as changes because controllers record them late. */
  readonly #events = new Set<string>();
  #changedAt: Instant;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.kinds = options.code.recordedKinds(options.scenario);
    this.#changedAt = options.now();
  }

  get changedAt(): Instant {
    return this.#changedAt;
  }

  /** Called with every stored change. */
  see(object: Unstructured): void {
    const { kind, metadata } = object;
    if (kind === 'Event') {
      this.#seeEvent(object);
    } else if (this.kinds.includes(kind) && this.owns(object)) {
      this.seen.set(metadata.uid, { kind, name: metadata.name });
      this.#changedAt = this.#options.now();
    }
  }

  #seeEvent({ metadata: { uid, namespace = '' } }: Unstructured): void {
    const { scenario, code, namespaces, now } = this.#options;
    if (code.isFamily(scenario) && namespaces.includes(namespace) && !this.#events.has(uid)) {
      this.#events.add(uid);
      this.#changedAt = now();
    }
  }

  /** Whether the object belongs to the scenario. */
  owns({ kind, metadata: { name, namespace = '' } }: Pick<Unstructured, 'kind' | 'metadata'>): boolean {
    const { code, namespaces } = this.#options;
    if (code.kinds.get(kind)?.cluster === true) {
      return name.startsWith(`${namespaces[0]}-`);
    }
    return namespaces.includes(namespace) && (kind !== 'ConfigMap' || name !== rootAuthority);
  }
}

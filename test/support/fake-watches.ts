// A scripted API server with lists and watches only. Tests script changes, streams that end, and versions that expire.

import {
  type ApiFailure,
  answered,
  type Kind,
  type ListedPage,
  type ObjectMeta,
  refused,
  toApiVersion,
  type Unstructured,
  type WatchEvent,
  type Watches,
  type WatchQuery,
} from '@capi-serverless/apimachinery';

type Change = Exclude<WatchEvent, { readonly type: 'BOOKMARK' }>;
type Failed = { readonly type: 'FAILED'; readonly failure: ApiFailure };

interface Store {
  readonly objects: Map<string, Unstructured>;
  readonly changes: { readonly version: number; readonly event: WatchEvent }[];
  /** The version up to which changes have expired. */
  forgotten: number;
}

type Draft = Partial<Omit<ObjectMeta, 'name'>> & { readonly name: string };

const gone: ApiFailure = { reason: 'Gone', code: 410, message: 'too old resource version' };
const notServed: ApiFailure = { reason: 'NotFound', code: 404, message: '404 page not found' };

export class FakeWatches implements Watches {
  readonly #stores = new Map<string, Store>();
  readonly #failing = new Map<string, ApiFailure>();
  #streams = new AbortController();
  #stalls = new AbortController();
  #version = 100;
  #changed: () => void = () => undefined;
  #nextChange: Promise<void> = this.#arm();
  /** The requests in order, for example `list Kind` and `watch Kind`. */
  readonly asked: string[] = [];
  /** The queries of open streams. */
  readonly open = new Set<WatchQuery>();

  constructor(...kinds: readonly Kind[]) {
    for (const kind of kinds) {
      this.serve(kind);
    }
  }

  serve(kind: Kind): void {
    this.#stores.set(toId(toQuery(kind)), { objects: new Map(), changes: [], forgotten: 0 });
  }

  /** Creates or replaces the object. The uid derives from the name unless it is given. */
  put(kind: Kind, draft: Draft, fields: Readonly<Record<string, unknown>> = {}): Unstructured {
    const store = this.#storeOf(kind);
    const id = `${draft.namespace ?? ''}/${draft.name}`;
    const resourceVersion = String(this.#nextVersion());
    const object: Unstructured = {
      apiVersion: toApiVersion(kind),
      kind: kind.kind,
      ...fields,
      metadata: { uid: `uid-${draft.name}`, ...draft, resourceVersion },
    };
    this.#send(store, { type: store.objects.has(id) ? 'MODIFIED' : 'ADDED', object });
    store.objects.set(id, object);
    return object;
  }

  remove(kind: Kind, of: { readonly namespace?: string; readonly name: string }): void {
    const store = this.#storeOf(kind);
    const id = `${of.namespace ?? ''}/${of.name}`;
    const object = store.objects.get(id);
    if (object === undefined) {
      throw new Error(`Removing ${kind.kind} ${id} failed: there is none`);
    }
    store.objects.delete(id);
    const metadata = { ...object.metadata, resourceVersion: String(this.#nextVersion()) };
    this.#send(store, { type: 'DELETED', object: { ...object, metadata } });
  }

  /** Sends this event unchanged. */
  show(kind: Kind, event: WatchEvent): void {
    this.#nextVersion();
    this.#send(this.#storeOf(kind), event);
  }

  bookmark(kind: Kind): void {
    this.show(kind, { type: 'BOOKMARK', resourceVersion: String(this.#version + 1) });
  }

  /** Open streams stop sending but do not end, like broken connections. */
  stall(): void {
    this.#stalls.abort();
    this.#stalls = new AbortController();
  }

  endStreams(): void {
    this.#streams.abort();
    this.#streams = new AbortController();
    this.#wake();
  }

  /** Expires all changes so far. A watch from an earlier version gets 410. */
  compact(): void {
    this.#nextVersion();
    for (const store of this.#stores.values()) {
      store.forgotten = this.#version;
    }
  }

  /** Lists and new watches of this kind fail with this failure. `undefined` removes the failure. */
  fail(kind: Kind, failure: ApiFailure | undefined): void {
    if (failure === undefined) {
      this.#failing.delete(toId(toQuery(kind)));
    } else {
      this.#failing.set(toId(toQuery(kind)), failure);
    }
  }

  async page(query: WatchQuery, options: Parameters<Watches['page']>[1]): ReturnType<Watches['page']> {
    this.asked.push(`list ${query.kind}`);
    const failure = this.#failing.get(toId(query));
    const store = this.#stores.get(toId(query));
    if (failure !== undefined || store === undefined) {
      return refused(failure ?? notServed);
    }
    const [version = String(this.#version), from = '0'] = options.continue?.split('/') ?? [];
    const all = [...store.objects.values()].filter(
      ({ metadata }) =>
        (query.namespace === undefined || metadata.namespace === query.namespace) &&
        Object.entries(query.labels ?? {}).every(([label, value]) => metadata.labels?.[label] === value),
    );
    const end = Number(from) + options.limit;
    const items = all.slice(Number(from), end).map(object => cut(object, query));
    const page: ListedPage = { items, resourceVersion: version };
    return answered(end < all.length ? { ...page, continue: `${version}/${end}` } : page);
  }

  async *watch(
    query: WatchQuery,
    options: { readonly resourceVersion: string; readonly signal: AbortSignal },
  ): AsyncGenerator<WatchEvent | Failed> {
    this.asked.push(`watch ${query.kind}`);
    this.open.add(query);
    const ended = AbortSignal.any([options.signal, this.#streams.signal]);
    const wake = (): void => this.#wake();
    ended.addEventListener('abort', wake);
    try {
      yield* this.#follow(query, Number(options.resourceVersion), ended);
    } finally {
      ended.removeEventListener('abort', wake);
      this.open.delete(query);
    }
  }

  async *#follow(query: WatchQuery, from: number, ended: AbortSignal): AsyncGenerator<WatchEvent | Failed> {
    const stalled = this.#stalls.signal;
    let position = from;
    if (position < (this.#stores.get(toId(query))?.forgotten ?? 0)) {
      yield { type: 'FAILED', failure: gone };
      return;
    }
    while (!ended.aborted) {
      if (stalled.aborted) {
        await this.#nextChange;
        continue;
      }
      const failure = this.#failing.get(toId(query));
      const store = this.#stores.get(toId(query));
      if (failure !== undefined || store === undefined) {
        yield { type: 'FAILED', failure: failure ?? notServed };
        return;
      }
      const next = store.changes.find(({ version }) => version > position);
      if (next === undefined) {
        await this.#nextChange;
        continue;
      }
      position = next.version;
      yield next.event.type === 'BOOKMARK' ? next.event : { ...next.event, object: cut(next.event.object, query) };
    }
  }

  #storeOf(kind: Kind): Store {
    const store = this.#stores.get(toId(toQuery(kind)));
    if (store === undefined) {
      throw new Error(`Kind ${kind.kind} is not served`);
    }
    return store;
  }

  #nextVersion(): number {
    this.#version += 1;
    return this.#version;
  }

  #send(store: Store, event: Change | WatchEvent): void {
    store.changes.push({ version: this.#version, event });
    this.#wake();
  }

  #arm(): Promise<void> {
    return new Promise(resolve => {
      this.#changed = resolve;
    });
  }

  #wake(): void {
    const reported = this.#changed;
    this.#nextChange = this.#arm();
    reported();
  }
}

function toQuery(kind: Kind): Pick<WatchQuery, 'apiVersion' | 'kind'> {
  return { apiVersion: toApiVersion(kind), kind: kind.kind };
}

function toId({ apiVersion, kind }: Pick<WatchQuery, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`;
}

function cut(object: Unstructured, { as }: WatchQuery): Unstructured {
  return as === 'object' ? object : { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

// A client that keeps a copy of what a selection holds, by list and watch, as informers do; it can stop reading.
import { expect } from 'vitest';
import type { Unstructured } from '../../../../shared/api/object.ts';
import type { RawWatch, RawWatchEvent } from '../../../support/raw-http.ts';
import { type Api, listed } from '../world.ts';

/** A list at some moment: the objects by name, and the version to watch from. */
export interface Point {
  readonly path: string;
  readonly labelSelector: string;
  readonly objects: ReadonlyMap<string, Unstructured>;
  readonly resourceVersion: string;
}

/** Written last: whoever sees it has seen everything. */
export const lastName = 'zz-last';

/** In small pages, so that most lists have several. */
const pageSize = 2;

/** `path`: of the objects of one kind. */
export async function readPoint(api: Api, path: string, labelSelector = ''): Promise<Point> {
  const objects = new Map<string, Unstructured>();
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = { labelSelector, limit: pageSize, continue: token };
    const page = await listed(api, path, { query });
    for (const item of page.items) {
      objects.set(item.metadata.name, item);
    }
    const more = page.metadata.continue ?? '';
    if (more === '') {
      return { path, labelSelector, objects, resourceVersion: page.metadata.resourceVersion };
    }
    token = more;
  }
  throw new Error('A list has no last page');
}

export class Reader {
  readonly labelSelector: string;
  readonly #path: string;
  readonly #api: Api;
  readonly #objects: Map<string, Unstructured>;
  #version: string;
  #stream: RawWatch | undefined;
  #paused: Promise<void> | undefined;
  #goOn = (): void => {};
  /** How its watches ended before the last object was seen. */
  readonly ends = { closed: 0, expired: 0 };

  /** Begins at the point. */
  constructor(api: Api, { path, labelSelector, objects, resourceVersion }: Point) {
    this.#path = path;
    this.#api = api;
    this.labelSelector = labelSelector;
    this.#objects = new Map(objects);
    this.#version = resourceVersion;
  }

  get objects(): ReadonlyMap<string, Unstructured> {
    return this.#objects;
  }

  pause(): void {
    this.#paused ??= new Promise(resolve => {
      this.#goOn = resolve;
    });
  }

  goOn(): void {
    this.#goOn();
    this.#paused = undefined;
  }

  /** Ends what waits for the server. */
  close(): void {
    this.goOn();
    this.#stream?.close();
  }

  /** Watches until the last object is seen, resuming what closes and listing anew what expired. */
  async readToEnd(): Promise<void> {
    while (!(await this.#watchOnce())) {
      await this.#paused;
    }
  }

  /** Like that, but without a second try: says whether the last object was seen. */
  async readOnce(): Promise<boolean> {
    return this.#watchOnce();
  }

  async #watchOnce(): Promise<boolean> {
    const query = { labelSelector: this.labelSelector, resourceVersion: this.#version };
    const stream = await this.#api.http.watch(this.#path, { query });
    expect(stream.status).toBe(200);
    this.#stream = stream;
    try {
      for await (const event of stream.events) {
        await this.#paused;
        if (event.type === 'ERROR') {
          await this.#relist(event);
          return this.#objects.has(lastName);
        }
        if (this.#take(event)) {
          return true;
        }
      }
      this.ends.closed += 1;
      return false;
    } finally {
      stream.close();
    }
  }

  /** What a watch may say of an object follows from what it said before. */
  #take({ type, object }: RawWatchEvent): boolean {
    const seen = object as Unstructured; // the events of a watch besides ERROR hold objects
    const { name, resourceVersion } = seen.metadata;
    expect(Number(resourceVersion), `${type} ${name} in order`).toBeGreaterThan(Number(this.#version));
    expect(this.#objects.has(name), `${type} ${name} of an object that was there before`).toBe(type !== 'ADDED');
    this.#version = resourceVersion;
    if (type === 'DELETED') {
      this.#objects.delete(name);
    } else {
      this.#objects.set(name, seen);
    }
    return name === lastName;
  }

  async #relist({ object }: RawWatchEvent): Promise<void> {
    expect(object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    this.ends.expired += 1;
    const { objects, resourceVersion } = await readPoint(this.#api, this.#path, this.labelSelector);
    this.#objects.clear();
    for (const [name, item] of objects) {
      this.#objects.set(name, item);
    }
    this.#version = resourceVersion;
  }
}

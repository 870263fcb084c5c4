// A client that mirrors a selection by list and watch, like an informer. It can stop reading.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import type { RawWatch, RawWatchEvent } from '../../../support/raw-http.ts';
import { type Api, listed } from '../api-case.ts';

/** A list at one time: the objects by name, and the version from which to watch. */
export interface Point {
  readonly path: string;
  readonly labelSelector: string;
  readonly objects: ReadonlyMap<string, Unstructured>;
  readonly resourceVersion: string;
}

/** The last write. A reader that has received it has received all earlier changes. */
export const lastName = 'zz-last';

/** The page size is small, so that most lists have several pages. */
const pageSize = 2;

/** `path` is the path of the objects of one kind. */
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
  /** The reasons why its watches ended before the last object was received. */
  readonly ends = { closed: 0, expired: 0 };

  /** Starts from the given list. */
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

  /** Ends every wait for the server. */
  close(): void {
    this.goOn();
    this.#stream?.close();
  }

  /** Watches until the last object arrives. Resumes closed watches, and lists again after expired ones. */
  async readToEnd(): Promise<void> {
    while (!(await this.#watchOnce())) {
      await this.#paused;
    }
  }

  /** The same without a retry. Returns whether the last object has arrived. */
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

  /** Each event of a watch must be consistent with the earlier events of the same object. */
  #take({ type, object }: RawWatchEvent): boolean {
    const seen = object as Unstructured; // true: the events of a watch except ERROR contain objects
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

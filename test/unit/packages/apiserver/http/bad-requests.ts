// Random requests that an API server must refuse. Each has one specific defect.

export interface BadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface BadRequestTarget {
  /** The path of the collection. */
  readonly collection: string;
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns numbers from 0 up to but not including 1. The same seed generates the same numbers (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = ['', '0', '-1', 'true', 'null', 'name', 'metadata', 'spec', 'a/b', '../..', '__proto__', 'constructor'];
const strange = ['%', '%zz', '%00', '%2e%2e', 'ä', '😀', '\u0000', '"', '\\', '(', ')', '[', '<', '=', '!', ',', ' '];
const parameters = [
  'labelSelector',
  'fieldSelector',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'includeObject',
  'pretty',
  'sendInitialEvents',
  'fieldValidation',
  'fieldManager',
  'force',
];
const accepts = [
  '*/*',
  'application/json',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'text/plain',
  ';;;=,',
];
const contentTypes = ['application/json', 'application/yaml', 'text/plain', 'application/apply-patch+yaml', ';', 'a'];

export class BadRequests {
  readonly #random: () => number;
  readonly #targets: readonly BadRequestTarget[];

  constructor(seed: number, targets: readonly BadRequestTarget[]) {
    this.#random = randomFrom(seed);
    this.#targets = targets;
  }

  next(): BadRequest {
    const target = this.#pick(this.#targets);
    const make = this.#pick([
      () => this.#wanderingPath(),
      () => this.#oddRead(target),
      () => this.#brokenCreate(target),
      () => this.#staleUpdate(target),
      () => this.#staleMergePatch(target),
      () => this.#failingJsonPatch(target),
      () => this.#guardedDelete(target),
      () => this.#unreadableBody(target),
    ]);
    return make();
  }

  #pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    const item = from[Math.floor(this.#random() * from.length)];
    if (item === undefined) {
      throw new Error('There is nothing to pick from');
    }
    return item;
  }

  #text(): string {
    const length = Math.floor(this.#random() * 5);
    return Array.from({ length }, () => this.#pick([...words, ...strange])).join('');
  }

  #value(depth = 0): unknown {
    const kind = Math.floor(this.#random() * (depth > 4 ? 5 : 7));
    const length = Math.floor(this.#random() * 4);
    switch (kind) {
      case 0:
        return null;
      case 1:
        return this.#random() < 0.5;
      case 2:
        return this.#pick([0, -1, 1.5, 2 ** 53, 1e300, 7]);
      case 3:
      case 4:
        return this.#text();
      case 5:
        return Array.from({ length }, () => this.#value(depth + 1));
      default:
        return Object.fromEntries(
          Array.from({ length }, () => [this.#pick(['spec', 'name', 'mode', 'a', '', 'ä']), this.#value(depth + 1)]),
        );
    }
  }

  #query(): string {
    const length = Math.floor(this.#random() * 4);
    const pairs = Array.from({ length }, () => `${this.#pick(parameters)}=${encodeURIComponent(this.#text())}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  #headers(contentType?: string): Readonly<Record<string, string>> {
    return {
      accept: this.#pick(accepts),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    };
  }

  #object({ apiVersion, kind, name }: BadRequestTarget, metadata: object): object {
    const extra = this.#value();
    const random = typeof extra === 'object' && extra !== null && !Array.isArray(extra) ? extra : { spec: extra };
    return { ...random, apiVersion, kind, metadata: { name, ...this.#metadata(), ...metadata } };
  }

  #metadata(): object {
    const members = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'generateName', 'managedFields', 'uid'];
    return this.#random() < 0.5 ? {} : { [this.#pick(members)]: this.#value() };
  }

  #wanderingPath(): BadRequest {
    const parts = ['api', 'apis', 'v1', 'namespaces', 'default', 'openapi', 'v3', 'watch', 'nowhere', 'status', ''];
    const length = 1 + Math.floor(this.#random() * 7);
    const segments = Array.from({ length }, () => this.#pick([...parts, encodeURIComponent(this.#text())]));
    const path = `/nowhere/${segments.join('/')}${this.#pick(['', '%', '%zz', '//', '/..'])}`;
    return { method: this.#pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']), path, headers: {} };
  }

  #oddRead({ collection, name }: BadRequestTarget): BadRequest {
    const path = this.#pick([
      collection,
      `${collection}/${name}`,
      `${collection}/${name}/status`,
      '/apis',
      '/openapi/v3',
    ]);
    return { method: this.#pick(['GET', 'HEAD']), path: `${path}${this.#query()}`, headers: this.#headers() };
  }

  #brokenCreate(target: BadRequestTarget): BadRequest {
    const defect = this.#pick([
      { name: target.name },
      { name: 'Not_A_Name' },
      { name: 'elsewhere', namespace: 'elsewhere', resourceVersion: '1' },
      { name: 'versioned', resourceVersion: '7' },
    ]);
    const body = JSON.stringify(this.#object(target, defect));
    return {
      method: 'POST',
      path: `${target.collection}${this.#query()}`,
      headers: this.#headers('application/json'),
      body,
    };
  }

  #staleUpdate(target: BadRequestTarget): BadRequest {
    const body = JSON.stringify(this.#object(target, { resourceVersion: '1' }));
    const path = `${target.collection}/${target.name}${this.#pick(['', '/status', '/scale', '/nothing'])}${this.#query()}`;
    return { method: 'PUT', path, headers: this.#headers('application/json'), body };
  }

  #staleMergePatch(target: BadRequestTarget): BadRequest {
    const body = JSON.stringify(this.#object(target, { resourceVersion: '1' }));
    const path = `${target.collection}/${target.name}${this.#pick(['', '/status'])}${this.#query()}`;
    return { method: 'PATCH', path, headers: this.#headers('application/merge-patch+json'), body };
  }

  #failingJsonPatch(target: BadRequestTarget): BadRequest {
    const length = Math.floor(this.#random() * 6);
    const operations = Array.from({ length }, () => ({
      op: this.#pick(['add', 'remove', 'replace', 'copy', 'move', 'test', '', 'ADD']),
      path: this.#pointer(),
      from: this.#pointer(),
      value: this.#value(),
    }));
    const failing = { op: 'test', path: '/metadata/uid', value: 'of no object' };
    return {
      method: 'PATCH',
      path: `${target.collection}/${target.name}${this.#pick(['', '/status'])}${this.#query()}`,
      headers: this.#headers('application/json-patch+json'),
      body: JSON.stringify([...operations, failing]),
    };
  }

  #pointer(): unknown {
    const parts = ['', '/metadata', '/spec', '/-', '/0', '/~', '/~1', '/labels', '/__proto__', '/name', '/a'];
    const length = Math.floor(this.#random() * 4);
    return this.#random() < 0.1 ? this.#value() : Array.from({ length }, () => this.#pick(parts)).join('');
  }

  #guardedDelete(target: BadRequestTarget): BadRequest {
    const body = JSON.stringify({
      kind: 'DeleteOptions',
      propagationPolicy: this.#pick(['Background', 'Foreground', 'Orphan', 'Never', 7, null]),
      gracePeriodSeconds: this.#value(),
      dryRun: this.#pick([[], ['All'], ['None'], 'All', null]),
      preconditions: { uid: 'of no object' },
    });
    const path = `${target.collection}/${target.name}${this.#query()}`;
    return { method: 'DELETE', path, headers: this.#headers('application/json'), body };
  }

  #unreadableBody(target: BadRequestTarget): BadRequest {
    const whole = JSON.stringify(this.#object(target, { resourceVersion: '1' }));
    const cut = whole.slice(0, Math.floor(this.#random() * (whole.length - 1)));
    const deep = '['.repeat(20_000);
    const body = this.#pick([
      cut,
      cut,
      deep,
      `${deep}${']'.repeat(20_000)}`,
      `{"a":${'9'.repeat(400)}}`,
      `\u0000${cut}`,
    ]);
    const [method, path] = this.#pick([
      ['POST', target.collection],
      ['PUT', `${target.collection}/${target.name}`],
      ['PATCH', `${target.collection}/${target.name}`],
    ] as const);
    return { method, path: `${path}${this.#query()}`, headers: this.#headers(this.#pick(contentTypes)), body };
  }
}

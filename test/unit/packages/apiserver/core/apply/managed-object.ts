// One object of several managers, stored like in an API server, but without a server.

import { isJsonObject, type JsonObject } from '../../../../../../packages/apimachinery/json.ts';
import { applyMergePatch } from '../../../../../../packages/apimachinery/json-patch/merge-patch.ts';
import { type AppliedIntent, applyIntent } from '../../../../../../packages/apiserver/core/apply/apply-intent.ts';
import type { ManagedEntry } from '../../../../../../packages/apiserver/core/apply/managed-fields.ts';
import { toMergeType } from '../../../../../../packages/apiserver/core/apply/merge-type.ts';
import { trackUpdate } from '../../../../../../packages/apiserver/core/apply/track-update.ts';
import { resetByMain, resetByStatus, type Write } from '../../../../../../packages/apiserver/core/apply/write.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };

export const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        mode: text,
        size: { type: 'integer' },
        on: { type: 'boolean' },
        port: { 'x-kubernetes-int-or-string': true },
        until: { type: 'string', format: 'date-time' },
        seed: { type: 'string', format: 'byte' },
        lbl: { type: 'object', additionalProperties: text },
        nested: { type: 'object', additionalProperties: { type: 'object', properties: { a: text, b: text } } },
        plain: texts,
        tags: { ...texts, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text, v: { type: 'integer' }, sub: texts } },
        },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' }, name: text },
          },
        },
        piece: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        struct: { type: 'object', properties: { a: text, b: text, c: { type: 'object', properties: { d: text } } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: text } } },
        },
        bare: { type: 'object' },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { a: text } } },
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
        },
      },
    },
  },
};

export const apiVersion = 'conf.example.com/v1';

interface Options {
  readonly force?: boolean;
  readonly subresource?: 'status';
  readonly schema?: unknown;
}

const start = Date.parse('2030-01-01T00:00:00Z');

export class ManagedObject {
  #live: JsonObject | undefined;
  #seconds = 0;

  get live(): JsonObject {
    return this.#live ?? {};
  }

  get spec(): unknown {
    return this.live['spec'];
  }

  /** Applies the intent and stores the result. */
  apply(manager: string, body: JsonObject, options: Options = {}): AppliedIntent {
    const intent = { apiVersion, kind: 'Widget', metadata: { name: 'w' }, ...body };
    const outcome = applyIntent({ ...this.#write(manager, options), intent, force: options.force === true });
    if (outcome.kind === 'applied') {
      this.#keep(outcome.object, outcome.managedFields);
    }
    return outcome;
  }

  /** Applies a merge patch. Creates a missing object. */
  patch(manager: string, patch: JsonObject, options: Options = {}): void {
    const before = this.#live ?? { apiVersion, kind: 'Widget', metadata: { name: 'w' } };
    const updated = applyMergePatch(before, patch);
    const sent = isJsonObject(patch['metadata']) ? patch['metadata']['managedFields'] : undefined;
    if (isJsonObject(updated)) {
      this.#keep(updated, trackUpdate({ ...this.#write(manager, options), updated, sent }));
    }
  }

  /** Returns the fields by owner: `manager/Operation` or `manager/Operation/subresource`. */
  get owners(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.entries.map(({ manager, operation, subresource, fieldsV1 }) => [
        [manager, operation, ...(subresource === undefined ? [] : [subresource])].join('/'),
        fieldsV1,
      ]),
    );
  }

  get entries(): readonly ManagedEntry[] {
    const metadata = this.live['metadata'];
    const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
    // True: only #keep stores entries in this map.
    return Array.isArray(entries) ? (entries as readonly ManagedEntry[]) : [];
  }

  #keep(object: JsonObject, managedFields: readonly ManagedEntry[]): void {
    const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
    this.#live = { ...object, metadata: { ...metadata, managedFields } };
  }

  /** Each write is one second later than the previous one. */
  #write(manager: string, { subresource, schema = widgetSchema }: Options): Write {
    this.#seconds += 1;
    const type = toMergeType(schema);
    return {
      apiVersion,
      typeOf: version => (version === apiVersion ? type : undefined),
      live: this.#live,
      manager,
      subresource: subresource ?? '',
      reset: subresource === 'status' ? resetByStatus : resetByMain,
      now: start + this.#seconds * 1000,
    };
  }
}

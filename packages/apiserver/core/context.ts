// The common context of all writes.
import { type Checked, type Instant, invalid, valid } from '@capi-serverless/apimachinery';
import type { Admit, Mutate } from './admission.ts';
import { deepFreeze } from './json.ts';
import { type Address, type KindRuleContext, type Resource, type ResourceRegistry, storageOf } from './kinds.ts';
import { inVersion, type ObjectDraft, type Stored } from './object.ts';
import { notFound, StatusError } from './status.ts';
import type { Store } from './store.ts';
import type { VersionConversion } from './version-conversion.ts';

export interface IdSource {
  /** Returns a different id for each call. */
  uid(of: NewObject): string;
  /** Returns five characters that make a generated name unique. */
  nameSuffix(): string;
}

/** The new object that needs an id. */
export interface NewObject {
  readonly kind: string;
  /** The generated name prefix, or "" for none. */
  readonly namespace: string;
  readonly name: string | undefined;
}

/** Options of one write. */
export interface WriteOptions {
  /** Executes all steps except storing. No resourceVersion is used, and no watch event is sent. */
  readonly dryRun?: boolean;
  /** The field manager. Default: `unknown`. */
  readonly manager?: string;
  /** Called once before the write is stored, with the dropped unknown fields. May throw to refuse the write. */
  readonly onUnknown?: (paths: readonly string[]) => void;
  /** Called with a warning about a valid but discouraged value. */
  readonly onWarning?: (text: string) => void;
}

export interface Context {
  /** The options of the current request. */
  readonly write?: WriteOptions;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly now: () => Instant;
  readonly ids: IdSource;
  /** Sets defaults before the validation of main resources. Default: sets none. */
  readonly mutate?: Mutate;
  /** Called for every write of a main resource. Default: admits all. */
  readonly admit?: Admit;
  /** Converts further versions of custom kinds. Default: converts none. */
  readonly conversion?: VersionConversion;
}

/** Returns the stored object. Throws NotFound. */
export function liveAt(context: Context, { endpoint, namespace, name }: Address): Stored {
  const live = context.store.get(endpoint.resource, namespace, name);
  if (live === undefined) {
    throw notFound(endpoint.resource, name);
  }
  return live;
}

/** Returns the other state that the kind needs to prepare an object with this name. */
export function around(context: Context, resource: Resource, of: Pick<Address, 'namespace' | 'name'>): KindRuleContext {
  return {
    now: context.now(),
    others: () =>
      context.store
        .list(resource)
        .filter(({ metadata }) => metadata.name !== of.name || (metadata.namespace ?? '') !== of.namespace),
    convertedVersions: kind => context.conversion?.versionsOf(kind).map(({ name }) => name) ?? [],
  };
}

/** Stores the object unless this is a dry run. Returns the stored object. */
export function put(context: Context, resource: Resource, object: Stored): Stored {
  return context.write?.dryRun === true ? deepFreeze(object) : context.store.put(resource, object);
}

/** Removes the object, unless this is a dry run. */
export function remove(context: Context, resource: Resource, object: Stored): void {
  if (context.write?.dryRun !== true) {
    context.store.remove(resource, object);
  }
}

/** Collects the unknown fields while `read` runs, then reports them. */
export function reportUnknown<T>(context: Context, read: (onUnknown: (path: string) => void) => T): T {
  const paths: string[] = [];
  const value = read(path => paths.push(path));
  context.write?.onUnknown?.(paths);
  return value;
}

/** Returns the body in the stored form, with the values that the server adds. The apiVersion is kept. */
export function completed({ resource }: Address['endpoint'], draft: ObjectDraft): ObjectDraft {
  const stored = resource.storedAs?.toStored(draft) ?? draft;
  return resource.strategy.complete?.(stored) ?? stored;
}

/** Returns the object in the version and form of this endpoint. */
export function servedAt({ resource, version }: Address['endpoint'], object: Stored): Stored {
  if (version.convertedFrom !== undefined) {
    return version.convertedFrom.toServed(servedAt(version.convertedFrom.endpoint, object));
  }
  const shaped = resource.storedAs?.toServed(object) ?? object;
  const versioned = inVersion(shaped, { group: resource.group, version: version.name });
  return version.schema?.shown(versioned) ?? versioned;
}

/** Returns the object as `servedAt` does, or the error if it cannot be converted. */
export function tryServe(endpoint: Address['endpoint'], object: Stored): Checked<Stored> {
  try {
    return valid(servedAt(endpoint, object));
  } catch (thrown) {
    if (endpoint.version.convertedFrom !== undefined && thrown instanceof StatusError) {
      return invalid(thrown.message);
    }
    throw thrown;
  }
}

/** Returns the object in the storage version and form. */
export function forStorage(endpoint: Address['endpoint'], object: Stored): Stored {
  const { resource } = storageOf(endpoint);
  return inVersion(object, { group: resource.group, version: resource.storageVersion });
}

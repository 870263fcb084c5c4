// Schemas of the responses of all hooks. As in upstream, null and absent are the zero value, and unknown fields are
// ignored.
import * as z from 'zod/mini';
import { problemOfTexts } from './read-json.ts';

const largestInt32 = 2_147_483_647;

/** Wraps a schema. Null and absent become `zero`. */
function orZero<T>(schema: z.ZodMiniType<T>, zero: unknown): z.ZodMiniType<T> {
  return z.pipe(
    z.transform((raw: unknown) => raw ?? zero),
    schema,
  );
}

/** Wraps a schema. Null is treated as absent. */
function orAbsent<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | undefined> {
  return z.pipe(
    z.optional(z.nullable(schema)),
    z.transform((given: T | null | undefined) => given ?? undefined),
  );
}

const text = orZero(z.string(), '');
const object = z.record(z.string(), z.unknown());
const int32: z.ZodMiniType<number> = z.int().check(z.gte(-largestInt32 - 1), z.lte(largestInt32));

function listOf<T>(item: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> {
  return orZero(z.array(item), []);
}

const common = { status: text, message: text };

export const plainResponse = z.object(common);

/** Accepts a negative `retryAfterSeconds`. `checkResponse` refuses it with a better message. */
export const retryResponse = z.object({ ...common, retryAfterSeconds: orZero(int32, 0) });

/** One handler of a Discovery response, without defaults and checks. */
const discoveredHandler = z.object({
  name: text,
  requestHook: orZero(z.object({ apiVersion: text, hook: text }), { apiVersion: '', hook: '' }),
  timeoutSeconds: orAbsent(int32),
  failurePolicy: orAbsent(z.string()),
});

export const discoveryResponse = z.object({ ...common, handlers: listOf(discoveredHandler) });

/** The parts of a ClusterClassVariable that every reader needs. Callers parse its schema themselves. */
const variable = z.looseObject({
  name: text,
  required: orAbsent(z.boolean()),
  schema: orZero(z.looseObject({ openAPIV3Schema: orZero(object, {}) }), { openAPIV3Schema: {} }),
});

export const discoverVariablesResponse = z.object({ ...common, variables: listOf(variable) });

/** Decodes base64 to text. */
const bytesAsText = z.pipe(
  text,
  z.transform((encoded, context) => {
    try {
      return new TextDecoder().decode(toBytes(atob(encoded)));
    } catch {
      context.issues.push({ code: 'custom', message: 'must be base64', input: encoded });
      return z.NEVER;
    }
  }),
);

function toBytes(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) {
    bytes[at] = binary.charCodeAt(at);
  }
  return bytes;
}

/** `patchType` is checked when the patch is applied. */
const patch = { patchType: text, patch: bytesAsText };

/**
 * Patches are texts inside the answer. Their values count together, because the limits of the answer do not include
 * them.
 */
const limited = <T>(schema: z.ZodMiniType<T>, patchesOf: (given: T) => readonly string[]): z.ZodMiniType<T> =>
  schema.check(context => {
    const problem = problemOfTexts(patchesOf(context.value));
    if (problem !== undefined) {
      context.issues.push({ code: 'custom', message: `patches have ${problem}`, input: undefined });
    }
  });

export const generatePatchesResponse = z.object({
  ...common,
  items: limited(listOf(z.object({ uid: text, ...patch })), items => items.map(item => item.patch)),
});

const upgradeSteps = listOf(z.object({ version: text }));

export const upgradePlanResponse = z.object({
  ...common,
  controlPlaneUpgrades: upgradeSteps,
  workersUpgrades: upgradeSteps,
});

const optionalPatch = limited(orZero(z.object(patch), { patchType: '', patch: '' }), given => [given.patch]);

export const canUpdateMachineResponse = z.object({
  ...common,
  machinePatch: optionalPatch,
  infrastructureMachinePatch: optionalPatch,
  bootstrapConfigPatch: optionalPatch,
});

export const canUpdateMachineSetResponse = z.object({
  ...common,
  machineSetPatch: optionalPatch,
  infrastructureMachineTemplatePatch: optionalPatch,
  bootstrapConfigTemplatePatch: optionalPatch,
});

export type DiscoveryResponse = z.output<typeof discoveryResponse>;
export type DiscoveredHandler = z.output<typeof discoveredHandler>;
export type DiscoverVariablesResponse = z.output<typeof discoverVariablesResponse>;
export type GeneratePatchesResponse = z.output<typeof generatePatchesResponse>;
export type UpgradePlanResponse = z.output<typeof upgradePlanResponse>;
export type CanUpdateMachineResponse = z.output<typeof canUpdateMachineResponse>;
export type CanUpdateMachineSetResponse = z.output<typeof canUpdateMachineSetResponse>;

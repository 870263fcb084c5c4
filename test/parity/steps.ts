// The steps of a scenario in this project. The README of the corpus describes them.
import * as z from 'zod/mini';

const record = z.record(z.string(), z.unknown());
const ref = {
  kind: z.string(),
  name: z.string(),
  apiVersion: z.optional(z.string()),
  namespace: z.optional(z.string()),
};

const manifestSchema = z.looseObject({
  kind: z.string(),
  apiVersion: z.optional(z.string()),
  metadata: z.looseObject({ name: z.string(), namespace: z.optional(z.string()) }),
});

/** The corpus plays the providers of these Machines. */
const machineOrderSchema = z.strictObject({
  labels: z.optional(z.record(z.string(), z.string())),
  names: z.optional(z.array(z.string())),
  upTo: z.optional(z.enum(['bootstrap', 'infrastructure', 'node'])),
  nodeReady: z.optional(z.enum(['True', 'False', 'Unknown'])),
  expect: z.optional(z.number()),
  keep: z.optional(z.boolean()),
});

const verbs = {
  apply: z.array(manifestSchema),
  patch: z.strictObject({ ...ref, patch: record }),
  patchStatus: z.strictObject({ ...ref, status: record }),
  poke: z.strictObject(ref),
  delete: z.strictObject({ ...ref, gracePeriodSeconds: z.optional(z.number()) }),
  removeFinalizers: z.strictObject(ref),
  playMachines: machineOrderSchema,
  wait: z.strictObject({ seconds: z.number() }),
  settle: z.union([
    z.string(),
    z.strictObject({ name: z.string(), quietSeconds: z.optional(z.number()), maxSeconds: z.optional(z.number()) }),
  ]),
} as const;

const stepSchema = z
  .partial(z.strictObject(verbs))
  .check(z.refine(step => Object.keys(step).length === 1, 'a step has one verb'));

export type ScenarioStep = z.infer<typeof stepSchema>;
export type MachineOrder = z.infer<typeof machineOrderSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type StepRef = Pick<NonNullable<ScenarioStep['poke']>, keyof typeof ref>;

export function parseStep(step: unknown): ScenarioStep | undefined {
  const parsed = stepSchema.safeParse(step);
  return parsed.success ? parsed.data : undefined;
}

// Reads the fields of a MachineSet or MachineDeployment that the reconciler of their Machines uses.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { reference, section, text, textOrEmpty } from '../fields.ts';

/** The fields of a Machine template that are compared. */
const comparedTemplate = {
  version: textOrEmpty,
  failureDomain: textOrEmpty,
  bootstrap: section({ configRef: reference, dataSecretName: text }),
  infrastructureRef: reference,
};

/** Their names below `spec.template.spec`. */
export const comparedFields: readonly string[] = Object.keys(comparedTemplate);

const schema = z.object({
  spec: section({
    rollout: section({ after: text }),
    template: section({ spec: section(comparedTemplate) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readTemplateOwner({ metadata, spec }: Unstructured) {
  return { metadata, ...schema.parse({ spec }) };
}

/** Returns the compared fields of the Machine template in the spec of a MachineSet. Never throws. */
export function readMachineTemplate(spec: unknown): TemplateOwner['spec']['template']['spec'] {
  return schema.parse({ spec }).spec.template.spec;
}

export type TemplateOwner = ReturnType<typeof readTemplateOwner>;

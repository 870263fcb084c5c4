// Reads the fields of a MachineSet or MachineDeployment that the reconciler of their Machines uses.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { reference, section, text, textOrEmpty } from '../fields.ts';

const schema = z.object({
  spec: section({
    rollout: section({ after: text }),
    template: section({
      spec: section({
        version: textOrEmpty,
        failureDomain: textOrEmpty,
        bootstrap: section({ configRef: reference, dataSecretName: text }),
        infrastructureRef: reference,
      }),
    }),
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

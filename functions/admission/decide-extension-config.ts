// The hooks of ExtensionConfigs.
import { denialStatus } from '../../shared/admission/denial-status.ts';
import { defaultExtensionConfig, denialOfExtensionConfig } from '../../shared/admission/extension-config.ts';
import { extensionConfigKind, runtimeGroup } from '../../shared/api/extension-config/kind.ts';
import type { Decider, DecisionPorts } from './decider.ts';
import { toReadable } from './readable.ts';

export function createExtensionConfigDecider({ gates }: DecisionPorts): Decider {
  return {
    defaults: ({ object }) => ({ allowed: true, object: defaultExtensionConfig(object) }),
    validate({ name, object }) {
      const denial = denialOfExtensionConfig(toReadable(object), gates);
      const of = { group: runtimeGroup, kind: extensionConfigKind.kind, name };
      return denial === undefined ? { allowed: true } : { allowed: false, status: denialStatus(of, denial) };
    },
  };
}

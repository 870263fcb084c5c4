// ValidateTopology: checks that schemas cannot express. A failure stops the Cluster's reconciliation. The Cluster's
// conditions show the failure.

import { valuesOf } from './discover-variables.ts';
import { failure, type Handler, success } from './protocol.ts';

/**
 * The setting `zones` of the ExtensionConfig lists the zones with free capacity. Without it, all zones have free
 * capacity.
 */
export const validateTopology: Handler = {
  name: 'validation',
  hook: 'ValidateTopology',
  answer: ({ variables, settings = {} }) => {
    const { zones } = valuesOf(variables);
    const open = settings['zones']?.split(',').map(zone => zone.trim());
    const full = zones.filter(zone => open?.includes(zone) === false);
    if (full.length > 0) {
      return failure(`no capacity in ${full.join(', ')}; choose among ${open?.join(', ')}`);
    }
    return new Set(zones).size < zones.length ? failure('a zone is named twice') : success();
  },
};

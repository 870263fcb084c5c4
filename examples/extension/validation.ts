// ValidateTopology: what no schema can say. A failure stops the Cluster's reconciliation, and its text is shown there.
import { failure, type Handler, success } from './protocol.ts';
import { valuesOf } from './variables.ts';

/** The setting `zones` of the ExtensionConfig says where there is room; without it there is room everywhere. */
export const validateTopology: Handler = {
  name: 'validation',
  hook: 'ValidateTopology',
  answer: ({ variables, settings = {} }) => {
    const { zones } = valuesOf(variables);
    const open = settings['zones']?.split(',').map(zone => zone.trim());
    const full = zones.filter(zone => open?.includes(zone) === false);
    if (full.length > 0) {
      return failure(`there is no room in ${full.join(', ')}; choose among ${open?.join(', ')}`);
    }
    return new Set(zones).size < zones.length ? failure('a zone is named twice') : success();
  },
};

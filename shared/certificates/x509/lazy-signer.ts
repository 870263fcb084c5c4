// The signer of the functions. Its code is loaded when the first kubeconfig is generated or inspected.
import { parseOnce } from '../parse-once.ts';
import type { OwnKubeconfig, Signer } from '../port.ts';

export function createSigner(): Signer {
  const inspections = parseOnce<OwnKubeconfig | undefined>();
  return {
    kubeconfig: async request => (await import('./signer.ts')).signKubeconfig(request),
    inspect: kubeconfig =>
      inspections(kubeconfig, async () => (await import('./inspect.ts')).inspectKubeconfig(kubeconfig)),
  };
}

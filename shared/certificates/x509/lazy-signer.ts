// The signer for functions. Its code is loaded when the first kubeconfig is generated or inspected.
import type { Signer } from '../port.ts';

export function createSigner(): Signer {
  return {
    kubeconfig: async request => (await import('./signer.ts')).signKubeconfig(request),
    inspect: async kubeconfig => (await import('./inspect.ts')).inspectKubeconfig(kubeconfig),
  };
}

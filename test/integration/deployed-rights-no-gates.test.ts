// The rights of a deployment without feature gates.
import { gatedDeployment } from './rights/gated-deployment.ts';

gatedDeployment('a deployment without feature gates', { on: [] });

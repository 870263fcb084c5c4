// The name of a new MachineSet. The same rollout always has the same name, so a repeated or concurrent pass creates no
// second MachineSet.
import { toSortedJson } from '@capi-serverless/apimachinery';
import type { WholeMachineDeployment } from '../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { MachineTemplateSpec } from '../../../../shared/machine-collections/template-differences.ts';
import { type Digest, randomnessOf } from '../../../../shared/names/random-characters.ts';

/** The length of a longer name before the random characters. */
const keptCharacters = 58;

interface NamedRollout {
  readonly deployment: WholeMachineDeployment;
  readonly template: MachineTemplateSpec;
  /** The revision of the new MachineSet. The way back to an earlier template is another rollout. */
  readonly revision: string;
  /** The time after which older MachineSets are replaced, if it has passed. */
  readonly after: string | undefined;
}

export interface SetName {
  readonly name: string;
  /** The value of the label machine-template-hash. It differs for each MachineSet. */
  readonly hash: string;
}

/** `attempt` is 0, or higher if the names of earlier attempts belong to others. */
export function setNameOf(
  { deployment: { metadata }, template, revision, after }: NamedRollout,
  attempt: number,
  digest: Digest,
): SetName {
  const purpose = [metadata.uid, revision, toSortedJson(template), after ?? ''];
  const { random } = randomnessOf(purpose, attempt, digest);
  const bytes = digest(JSON.stringify(purpose)).slice(0, 4);
  const hash = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return { name: `${`${metadata.name}-`.slice(0, keptCharacters)}${random}`, hash: `${hash}-${random}` };
}

// Runs the steps of `npm run verify:aws`, and removes everything if one of them fails.
import { DeploymentError, readDeployments } from '../aws/deployment.ts';
import type { Deployment } from '../aws/deployment-schema.ts';
import { type VerifyOptions, VerifyRefusal } from './options.ts';
import { type VerifyStep, verifySteps } from './steps.ts';
import type { VerifyTarget, VerifyWorld } from './verify-context.ts';

/** Returns the only deployment of the file. Throws VerifyRefusal. */
export function readTarget(options: VerifyOptions): VerifyTarget {
  const [deployment, ...others] = readFile(options.deployments);
  if (deployment === undefined || others.length > 0) {
    throw new VerifyRefusal(`${options.deployments} has ${others.length + 1} deployments; one is verified at a time`);
  }
  for (const field of ['account', 'region'] as const) {
    if (deployment[field] !== undefined && deployment[field] !== options[field]) {
      throw new VerifyRefusal(
        `Deployment ${deployment.name} is for ${field} ${deployment[field]}, not ${options[field]}`,
      );
    }
  }
  if (!deployment.sources.windowed) {
    throw new VerifyRefusal(`Deployment ${deployment.name} needs sources.windowed, the event source of this check`);
  }
  return { ...options, deployment };
}

function readFile(file: string): readonly Deployment[] {
  try {
    return readDeployments(file);
  } catch (cause) {
    if (cause instanceof DeploymentError) {
      throw new VerifyRefusal(cause.message, { cause });
    }
    throw cause;
  }
}

/** Returns one line for each step. */
export function toPlan({ deployment, account, region }: VerifyTarget): readonly string[] {
  return [
    `Deployment ${deployment.name} in account ${account}, region ${region}:`,
    ...verifySteps.map(({ title, proves }, index) => `${toNumber(index)} ${title}. Proves: ${proves}`),
  ];
}

const toNumber = (index: number): string => `${index + 1}/${verifySteps.length}`;

/** Returns the exit code. */
export async function verify(world: VerifyWorld, target: VerifyTarget): Promise<0 | 1 | 2> {
  const begun: VerifyStep[] = [];
  for (const [index, step] of verifySteps.entries()) {
    world.say(`${toNumber(index)} ${step.title}`);
    begun.push(step);
    try {
      await step.run(world, target);
    } catch (error) {
      world.say(`Failed: ${toText(error)}`);
      const isUnchanged = begun.every(({ changes }) => !changes);
      return isUnchanged ? 2 : removeAll(begun.toReversed(), world, target);
    }
    world.say(`  proved: ${step.proves}`);
  }
  world.say('Verified, and removed again');
  return 0;
}

/** A failed removal does not prevent the others. */
async function removeAll(begun: readonly VerifyStep[], world: VerifyWorld, target: VerifyTarget): Promise<1> {
  world.say('Removing everything');
  const problems: string[] = [];
  for (const { undo } of begun) {
    await undo?.(world, target).catch(error => void problems.push(toText(error)));
  }
  const { deployment, region } = target;
  world.say(
    problems.length === 0
      ? 'Removed'
      : `Not everything was removed: ${problems.join('; ')}. Check stack ${deployment.name} in ${region} and the Cluster default/first`,
  );
  return 1;
}

function toText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

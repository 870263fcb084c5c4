// The arguments of `npm run verify:aws`.
import { parseArgs } from 'node:util';

/** Wrong arguments, or a deployment that this command cannot verify. The message is one line. */
export class VerifyRefusal extends Error {
  override readonly name = 'VerifyRefusal';
}

export interface VerifyOptions {
  readonly account: string;
  readonly region: string;
  readonly deployments: string;
  readonly kubeconfig: string;
  /** Prints the steps and runs no command. */
  readonly isPlan: boolean;
}

export const verifyHelp = `Usage: npm run verify:aws -- --account ID --region REGION --deployments FILE --kubeconfig FILE [--plan]

Deploys one deployment to an AWS account, reconciles a first Cluster with it, and removes everything again. It takes about
15 minutes and costs a few cents. Each step prints what it proves. If a step fails, everything is removed as well.

  --account ID        the account, twelve digits; the command ends if the credentials are of another one
  --region REGION     the region
  --deployments FILE  a list of one deployment, with sources.windowed
  --kubeconfig FILE   an administrator of its management cluster, where Cluster API's definitions are installed
  --plan              prints the steps and runs no command
  --help              this text

Exit codes: 0 verified and removed, 1 a step failed, 2 refused before the first change.
`;

/** Throws VerifyRefusal. Returns 'help' if help is requested. */
export function parseVerifyOptions(args: readonly string[]): VerifyOptions | 'help' {
  const values = parseValues(args);
  if (values.help === true) {
    return 'help';
  }
  const { account = '', region = '', deployments = '', kubeconfig = '' } = values;
  if (!/^\d{12}$/.test(account)) {
    throw new VerifyRefusal(`--account "${account}" is not twelve digits`);
  }
  if (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    throw new VerifyRefusal(`--region "${region}" is not a region such as eu-central-1`);
  }
  for (const [name, value] of Object.entries({ deployments, kubeconfig })) {
    if (value === '') {
      throw new VerifyRefusal(`--${name} FILE is missing`);
    }
  }
  return { account, region, deployments, kubeconfig, isPlan: values.plan === true };
}

function parseValues(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    const options = { account: text, region: text, deployments: text, kubeconfig: text, plan: flag, help: flag };
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    throw new VerifyRefusal(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

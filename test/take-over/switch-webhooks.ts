// `capi-serverless webhooks take-over|give-back` in the process of a test.
import { webhooksCommand } from '../../cli/webhooks/command.ts';

/** Returns what is left to do: the problems, and the objects that were not switched. */
export async function switchWebhooks(kubeconfig: string, args: readonly string[]): Promise<readonly unknown[]> {
  const printed: string[] = [];
  await webhooksCommand.run([...args, '--kubeconfig', kubeconfig, '--json'], text => printed.push(text));
  const { problems, objects } = JSON.parse(printed.join(''));
  return [...problems, ...objects.filter(({ outcome }: { readonly outcome: string }) => outcome !== 'switched')];
}

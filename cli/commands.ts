// All commands of `capi-serverless`. This table drives dispatch, help and completion.
import type { CommandEntry } from './command.ts';

export const commands: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'Reconcile the Clusters of an API server on this machine',
    load: async () => (await import('./start/command.ts')).startCommand,
  },
  {
    name: 'plan',
    summary: 'Print what a reconciler would do to one object now',
    load: async () => (await import('./plan/command.ts')).planCommand,
  },
  {
    name: 'why',
    summary: 'Print what a Cluster, a ClusterClass or an ExtensionConfig waits for',
    load: async () => (await import('./why/command.ts')).whyCommand,
  },
  {
    name: 'ui',
    summary: 'Show the Clusters of an API server as a page on this machine',
    load: async () => (await import('./ui/command.ts')).uiCommand,
  },
  {
    name: 'reconcile',
    summary: 'Reconcile one object now and print what was done',
    load: async () => (await import('./reconcile/command.ts')).reconcileCommand,
  },
  {
    name: 'check',
    summary: 'Check ClusterClasses, and the objects that they refer to, in files',
    load: async () => (await import('./check/command.ts')).checkCommand,
  },
  {
    name: 'check-contract',
    summary: "Check a provider's kinds by the provider contract",
    load: async () => (await import('./check-contract/command.ts')).checkContractCommand,
  },
  {
    name: 'queues',
    summary: 'Print what each queue holds',
    load: async () => (await import('./queues/command.ts')).queuesCommand,
  },
  {
    name: 'redrive',
    summary: 'Move the dead letters of a queue back to it',
    load: async () => (await import('./redrive/command.ts')).redriveCommand,
  },
  {
    name: 'kubeconfig',
    summary: 'Print a kubeconfig for deployed functions',
    load: async () => (await import('./kubeconfig/command.ts')).kubeconfigCommand,
  },
  {
    name: 'install',
    summary: 'Install definitions, roles and an entry for clusterctl in a new management cluster',
    load: async () => (await import('./install/command.ts')).installCommand,
  },
  {
    name: 'webhooks',
    summary: 'Print the webhook configurations of deployed functions, or switch to them and back',
    load: async () => (await import('./webhooks/command.ts')).webhooksCommand,
  },
  {
    name: 'cost',
    summary: 'Estimate what a deployment costs on AWS in a month',
    load: async () => (await import('./cost/command.ts')).costCommand,
  },
  {
    name: 'new-provider',
    summary: 'Write the first files of an infrastructure provider',
    load: async () => (await import('./new-provider/command.ts')).newProviderCommand,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    load: async () => (await import('./completion/command.ts')).toCompletionCommand(commands),
  },
];

// A stand-in of an AWS account and a management cluster, behind the command lines of `aws`, `cdk` and `kubectl`.
import type { RunCommand, VerifyCommand } from '../../../../infra/verify-aws/verify-context.ts';

export interface AccountState {
  stack?: 'REVIEW_IN_PROGRESS' | 'CREATE_COMPLETE';
  secret?: string;
  roles?: true;
  crd?: true;
  cluster?: { isFinalized: boolean; polls: number };
}

interface AccountOptions {
  readonly account?: string;
  readonly state?: AccountState;
  /** The findings of IAM Access Analyzer. */
  readonly findings?: readonly object[];
  /** The status of change sets. */
  readonly changeSet?: string;
  /** Whether deployed functions reconcile. */
  readonly reconciles?: boolean;
  /** Fails this command, counted from 1, before or after its effect. */
  readonly fails?: { readonly at: number; readonly when: 'before' | 'after' };
}

const pollsUntilReconciled = 3;
const stackName = 'capi-lab';

export class Account {
  readonly commands: string[] = [];
  readonly state: AccountState;
  readonly #options: AccountOptions;

  constructor(options: AccountOptions = {}) {
    this.#options = options;
    this.state = { ...options.state };
  }

  readonly run: RunCommand = async command => {
    const line = [command.program, ...command.args].join(' ');
    this.commands.push(line);
    const { fails } = this.#options;
    const isFailing = fails?.at === this.commands.length;
    if (isFailing && fails.when === 'before') {
      throw new Error('Interrupted before');
    }
    const output = this.#answer(line, command);
    if (isFailing) {
      throw new Error('Interrupted after');
    }
    return typeof output === 'string' ? output : JSON.stringify(output);
  };

  #answer(line: string, { input }: VerifyCommand): unknown {
    const found = this.#handlers(input).find(([pattern]) => pattern.test(line));
    if (found === undefined) {
      throw new Error(`The stand-in does not know: ${line}`);
    }
    return found[1]();
  }

  #handlers(input: string | undefined): readonly (readonly [RegExp, () => unknown])[] {
    return [...this.#awsHandlers(input), ...this.#programHandlers(), ...this.#kubectlHandlers()];
  }

  #awsHandlers(input: string | undefined): readonly (readonly [RegExp, () => unknown])[] {
    const { state } = this;
    const { account = '123456789012', findings = [], changeSet = 'CREATE_COMPLETE' } = this.#options;
    const listed = state.stack === undefined ? [] : [{ StackName: stackName, StackStatus: state.stack }];
    const gone = { StackName: stackName, StackStatus: 'DELETE_COMPLETE' };
    return [
      [/^aws sts get-caller-identity /, () => ({ Account: account })],
      [/^aws cloudformation list-stacks /, () => ({ StackSummaries: [gone, ...listed] })],
      [/^aws cloudformation describe-change-set /, () => ({ Status: changeSet, Changes: [{}, {}] })],
      [/^aws cloudformation delete-stack --stack-name capi-lab /, () => this.#deleteStack()],
      [/^aws cloudformation wait stack-delete-complete /, () => ''],
      [
        /^aws cloudformation describe-stacks /,
        () => ({ Stacks: [{ Outputs: [{ OutputKey: 'ApiServerKubeconfigSecret1', OutputValue: 'arn:secret' }] }] }),
      ],
      [
        /^aws cloudformation list-stack-resources /,
        () => ({ StackResourceSummaries: [{ ResourceType: 'AWS::IAM::Role', PhysicalResourceId: 'role' }] }),
      ],
      [/^aws iam list-role-policies /, () => ({ PolicyNames: ['policy'] })],
      [/^aws iam get-role-policy /, () => ({ PolicyDocument: { Statement: [] } })],
      [/^aws accessanalyzer validate-policy /, () => ({ findings })],
      [/^aws secretsmanager put-secret-value --secret-id arn:secret /, () => this.#putSecret(input)],
      [/^aws logs describe-log-groups /, () => ({ logGroups: state.stack === undefined ? [] : [{}] })],
    ];
  }

  #programHandlers(): readonly (readonly [RegExp, () => unknown])[] {
    const { state } = this;
    return [
      [/^npx cdk deploy .*--method prepare-change-set/, () => this.#setStack('REVIEW_IN_PROGRESS')],
      [/^npx cdk deploy /, () => this.#setStack('CREATE_COMPLETE')],
      [/^npx cdk destroy .*--force/, () => this.#deleteStack()],
      [/^npx capi-serverless kubeconfig /, () => (state.roles ? 'a kubeconfig' : this.#refuse('no service account'))],
    ];
  }

  #kubectlHandlers(): readonly (readonly [RegExp, () => unknown])[] {
    const { state } = this;
    const shown = (name: string, value: unknown): string => (value === undefined ? '' : `${name}\n`);
    return [
      [/ get crd clusters\.cluster/, () => 'crd/clusters\n'],
      [/ get crd noinfrastructures/, () => shown('crd/noinfrastructures', state.crd)],
      [/ get cluster\S* first .*-o name/, () => shown('cluster/first', state.cluster)],
      [/ get -k /, () => shown('clusterrole/cluster', state.roles)],
      [/ apply -k /, () => this.#applyRoles()],
      [/ delete -k /, () => this.#forget('roles')],
      [/ apply .*-f examples\/first-cluster/, () => this.#applyFirst()],
      [/ get cluster\S* first .*-o json/, () => this.#readFirst()],
      [/ delete --namespace default cluster\S* first --timeout/, () => this.#deleteFirst()],
      [/ delete cluster\S* first .*--wait=false/, () => this.#deleteFirst()],
      [/ patch cluster\S* first .*"finalizers":null/, () => this.#forget('cluster')],
      [/ wait --for=delete cluster/, () => (state.cluster === undefined ? '' : this.#refuse('timed out'))],
      [/ delete crd noinfrastructures/, () => this.#forget('crd')],
    ];
  }

  #refuse(problem: string): never {
    throw new Error(problem);
  }

  #setStack(to: NonNullable<AccountState['stack']>): string {
    if (this.state.stack !== undefined) {
      this.#refuse(`Stack exists in ${this.state.stack}`);
    }
    this.state.stack = to;
    return '';
  }

  #deleteStack(): string {
    this.#forget('secret');
    return this.#forget('stack');
  }

  #forget(what: keyof AccountState): string {
    delete this.state[what];
    return '';
  }

  #putSecret(input: string | undefined): string {
    this.state.secret = input ?? '';
    return '';
  }

  #applyRoles(): string {
    this.state.roles = true;
    return '';
  }

  #applyFirst(): string {
    this.state.crd = true;
    this.state.cluster = { isFinalized: false, polls: 0 };
    return '';
  }

  #readFirst(): object {
    const { cluster, roles, stack, secret } = this.state;
    if (cluster === undefined) {
      return this.#refuse('NotFound');
    }
    cluster.polls += 1;
    const works = stack === 'CREATE_COMPLETE' && roles === true && secret === 'a kubeconfig';
    cluster.isFinalized = works && this.#options.reconciles !== false && cluster.polls >= pollsUntilReconciled;
    return cluster.isFinalized
      ? { metadata: { finalizers: ['cluster'] }, status: { phase: 'Provisioning', conditions: [{}] } }
      : { metadata: {} };
  }

  /** Without functions, a finalizer keeps the Cluster. */
  #deleteFirst(): string {
    const { cluster, stack } = this.state;
    if (cluster?.isFinalized !== true || stack === 'CREATE_COMPLETE') {
      this.#forget('cluster');
    }
    return '';
  }
}

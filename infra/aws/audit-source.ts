// The triggers of the audit function: a Function URL or an HTTP API for API servers, and a subscription of an EKS audit
// log.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnPermission, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { CfnRotationSchedule, CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { AuditHttpApi } from './audit-http-api.ts';
import type { Deployment } from './deployment-schema.ts';
import { acknowledge } from './findings.ts';
import type { ScopedFunction } from './scoped-function.ts';
import { letRead, letRotate } from './secret-access.ts';

/** The length of the token. It prevents guessing. The characters need no quotes in a kubeconfig. */
const tokenLength = 43;

interface TokenRotation {
  /** The function that Secrets Manager calls. */
  readonly rotator: ScopedFunction;
  readonly everyDays: number;
}

interface AuditWebhookProps {
  readonly target: ScopedFunction;
  readonly rotation: TokenRotation | undefined;
  /** The customer-managed key of the token. Undefined: the key that AWS manages. */
  readonly kmsKeyArn: string | undefined;
  readonly door: 'function-url' | 'http-api';
  readonly deployment: Pick<Deployment, 'name' | 'logRetentionDays'>;
  /** The key of the access log. */
  readonly encryptionKey: IKey | undefined;
}

/** An address for API servers, which cannot sign requests. A bearer token in Secrets Manager authenticates them. */
export class AuditWebhook extends Construct {
  constructor(scope: Construct, id: string, props: AuditWebhookProps) {
    super(scope, id);
    const { target, rotation, kmsKeyArn, door } = props;
    const tokens = new Secret(this, 'Tokens', {
      description:
        'Bearer token of the audit webhook; after a rotation, the second line holds the previous token, which is still valid',
      generateSecretString: { excludePunctuation: true, passwordLength: tokenLength },
    });
    encrypt(tokens, kmsKeyArn);
    const secret = { secretArn: tokens.secretArn, kmsKeyArn };
    if (rotation === undefined) {
      acknowledge(tokens, 'audit tokens');
    } else {
      letRotate(rotation.rotator, secret);
      this.#rotate(tokens, rotation);
    }
    letRead(target, secret);
    target.lambda.addEnvironment('CAPI_AUDIT_TOKENS_SECRET', tokens.secretArn);
    new CfnOutput(this, 'AuditWebhookUrl', {
      value: door === 'http-api' ? new AuditHttpApi(this, 'HttpApi', props).url : this.#openUrl(target),
      description: 'server of the webhook kubeconfig',
    });
    new CfnOutput(this, 'AuditTokenSecret', {
      value: tokens.secretArn,
      description: 'token of the webhook kubeconfig: the first line',
    });
  }

  #openUrl({ lambda }: ScopedFunction): string {
    const url = new CfnUrl(this, 'Url', { authType: 'NONE', targetFunctionArn: lambda.functionArn });
    // Both permissions are required since October 2025: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
    const everyone = { functionName: lambda.functionName, principal: '*' };
    new CfnPermission(this, 'InvokeUrl', {
      ...everyone,
      action: 'lambda:InvokeFunctionUrl',
      functionUrlAuthType: 'NONE',
    });
    new CfnPermission(this, 'Invoke', { ...everyone, action: 'lambda:InvokeFunction', invokedViaFunctionUrl: true });
    return url.attrFunctionUrl;
  }

  #rotate({ secretArn }: Secret, { rotator, everyDays }: TokenRotation): void {
    const permission = new CfnPermission(this, 'InvokeRotation', {
      functionName: rotator.lambda.functionName,
      action: 'lambda:InvokeFunction',
      principal: 'secretsmanager.amazonaws.com',
      sourceAccount: Stack.of(this).account,
      sourceArn: secretArn,
    });
    const schedule = new CfnRotationSchedule(this, 'Rotation', {
      secretId: secretArn,
      rotationLambdaArn: rotator.lambda.functionArn,
      rotationRules: { automaticallyAfterDays: everyDays },
      rotateImmediatelyOnUpdate: false,
    });
    schedule.node.addDependency(permission, rotator.role);
  }
}

/** The construct's own property for a key would change the policy of the key, which belongs to the operator. */
function encrypt(secret: Secret, kmsKeyArn: string | undefined): void {
  const child = secret.node.defaultChild;
  if (child instanceof CfnSecret && kmsKeyArn !== undefined) {
    child.kmsKeyId = kmsKeyArn;
  }
}

interface AuditLogProps {
  readonly cluster: string;
  readonly target: ScopedFunction;
  /** Selects the events that reach the function. */
  readonly pattern: string;
}

/** Forwards the EKS audit log of changes. The control plane logging of the cluster must be enabled. */
export class AuditLogSubscription extends Construct {
  constructor(scope: Construct, id: string, { cluster, target, pattern }: AuditLogProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const logGroupName = `/aws/eks/${cluster}/cluster`;
    const permission = new CfnPermission(this, 'Invoke', {
      functionName: target.lambda.functionName,
      action: 'lambda:InvokeFunction',
      principal: 'logs.amazonaws.com',
      sourceAccount: stack.account,
      sourceArn: `arn:${stack.partition}:logs:${stack.region}:${stack.account}:log-group:${logGroupName}:*`,
    });
    const filter = new CfnSubscriptionFilter(this, 'Filter', {
      logGroupName,
      destinationArn: target.lambda.functionArn,
      filterPattern: pattern,
    });
    filter.node.addDependency(permission);
  }
}

// A Function URL or an HTTP API for API servers, which cannot sign requests. A token in Secrets Manager authenticates them.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnPermission, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Deployment } from './deployment-schema.ts';
import { acknowledge } from './findings.ts';
import type { ScopedFunction } from './scoped-function.ts';
import { letRead, letRotate } from './secret-access.ts';
import { type Throttle, WebhookHttpApi } from './webhook-http-api.ts';

/** The length of the token. It prevents guessing. The characters need no quotes in a kubeconfig, and no escape in a path. */
const tokenLength = 43;

interface TokenRotation {
  /** The function that Secrets Manager calls. */
  readonly rotator: ScopedFunction;
  readonly everyDays: number;
}

/** What differs between the functions that API servers call. */
interface WebhookTexts {
  /** The last part of the name of an HTTP API. */
  readonly name: string;
  readonly throttle: Throttle;
  /** The variable of the function with the ARN of the secret. */
  readonly variable: string;
  /** The description of the secret. */
  readonly tokens: string;
  /** The outputs: name and description. */
  readonly urlOutput: readonly [string, string];
  readonly secretOutput: readonly [string, string];
}

export const auditTexts: WebhookTexts = {
  name: 'audit',
  // An API server sends one batch per second.
  throttle: { throttlingRateLimit: 50, throttlingBurstLimit: 100 },
  variable: 'CAPI_AUDIT_TOKENS_SECRET',
  tokens:
    'Bearer token of the audit webhook; after a rotation, the second line holds the previous token, which is still valid',
  urlOutput: ['AuditWebhookUrl', 'server of the webhook kubeconfig'],
  secretOutput: ['AuditTokenSecret', 'token of the webhook kubeconfig: the first line'],
};

export const admissionTexts: WebhookTexts = {
  name: 'admission',
  // Each write of a Cluster API object is two requests. A refused request fails the write.
  throttle: { throttlingRateLimit: 1000, throttlingBurstLimit: 2000 },
  variable: 'CAPI_ADMISSION_TOKENS_SECRET',
  tokens:
    'Token in the paths of the admission webhooks; after a rotation, the second line holds the previous token, which is still valid',
  urlOutput: ['AdmissionUrl', 'address of the admission webhooks, without the token'],
  secretOutput: ['AdmissionTokenSecret', 'token of the admission webhooks: the first line'],
};

export const conversionTexts: WebhookTexts = {
  name: 'conversion',
  // Each stored change is a request for each other version that is served. A refused request fails a read or a write.
  throttle: { throttlingRateLimit: 1000, throttlingBurstLimit: 2000 },
  variable: 'CAPI_CONVERSION_TOKENS_SECRET',
  tokens:
    'Token in the path of the conversion webhook; after a rotation, the second line holds the previous token, which is still valid',
  urlOutput: ['ConversionUrl', 'address of the conversion webhook, without the token'],
  secretOutput: ['ConversionTokenSecret', 'token of the conversion webhook: the first line'],
};

interface ApiServerWebhookProps {
  readonly texts: WebhookTexts;
  readonly target: ScopedFunction;
  readonly rotation: TokenRotation | undefined;
  /** The customer-managed key of the token. Undefined: the key that AWS manages. */
  readonly kmsKeyArn: string | undefined;
  readonly door: 'function-url' | 'http-api';
  readonly deployment: Pick<Deployment, 'name' | 'logRetentionDays' | 'removal'>;
  /** The key of the access log. */
  readonly encryptionKey: IKey | undefined;
}

export class ApiServerWebhook extends Construct {
  constructor(scope: Construct, id: string, props: ApiServerWebhookProps) {
    super(scope, id);
    const { texts, target, rotation, kmsKeyArn, door } = props;
    const tokens = new Secret(this, 'Tokens', {
      description: texts.tokens,
      generateSecretString: { excludePunctuation: true, passwordLength: tokenLength },
    });
    encrypt(tokens, kmsKeyArn);
    const secret = { secretArn: tokens.secretArn, kmsKeyArn };
    if (rotation === undefined) {
      acknowledge(tokens, 'webhook tokens');
    } else {
      letRotate(rotation.rotator, secret);
      this.#rotate(tokens, rotation);
    }
    letRead(target, secret);
    target.lambda.addEnvironment(texts.variable, tokens.secretArn);
    const [urlName, urlDescription] = texts.urlOutput;
    const [secretName, secretDescription] = texts.secretOutput;
    new CfnOutput(this, urlName, {
      value:
        door === 'http-api' ? new WebhookHttpApi(this, 'HttpApi', { ...props, ...texts }).url : this.#openUrl(target),
      description: urlDescription,
    });
    new CfnOutput(this, secretName, {
      value: tokens.secretArn,
      description: secretDescription,
    });
  }

  #openUrl({ lambda, live }: ScopedFunction): string {
    const url = new CfnUrl(this, 'Url', {
      authType: 'NONE',
      targetFunctionArn: lambda.functionArn,
      qualifier: live.aliasName,
    });
    url.node.addDependency(live);
    // Both permissions are required since October 2025: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
    const everyone = { functionName: live.functionArn, principal: '*' };
    new CfnPermission(this, 'InvokeUrl', {
      ...everyone,
      action: 'lambda:InvokeFunctionUrl',
      functionUrlAuthType: 'NONE',
    });
    new CfnPermission(this, 'Invoke', { ...everyone, action: 'lambda:InvokeFunction', invokedViaFunctionUrl: true });
    return url.attrFunctionUrl;
  }

  /**
   * Secrets Manager invokes the function without an alias, because its documentation names no ARN of an alias:
   * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RotateSecret.html
   */
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

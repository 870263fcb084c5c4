// Grants functions access to the API server: an EKS access entry for each, or one kubeconfig in Secrets Manager.
import { CfnOutput } from 'aws-cdk-lib';
import { CfnSecurityGroupIngress } from 'aws-cdk-lib/aws-ec2';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { toGroupName } from '../kubernetes/identities.ts';
import type { ApiServerSettings } from './deployment.ts';
import { acknowledge } from './findings.ts';
import { toConstructId } from './physical-names.ts';
import type { ScopedFunction } from './scoped-function.ts';

const httpsPort = 443;

export class ApiServerAccess extends Construct {
  /** The environment variables of each function. They contain no secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #apiServer: ApiServerSettings;
  readonly #secretArn: string | undefined;

  constructor(scope: Construct, id: string, apiServer: ApiServerSettings) {
    super(scope, id);
    this.#apiServer = apiServer;
    if (apiServer.kind === 'eks') {
      this.environment = {
        CAPI_EKS_CLUSTER: apiServer.cluster,
        CAPI_EKS_ENDPOINT: apiServer.endpoint,
        CAPI_EKS_CERTIFICATE_AUTHORITY: apiServer.certificateAuthority,
      };
    } else {
      this.#secretArn = apiServer.secretArn ?? this.#createSecret();
      this.environment = { CAPI_KUBECONFIG_SECRET: this.#secretArn };
    }
  }

  /** `name` is the name of the function, and of the group to which its role in the cluster is bound. */
  grant(name: string, target: ScopedFunction): void {
    if (this.#secretArn !== undefined) {
      target.allow(['secretsmanager:GetSecretValue'], [this.#secretArn]);
    }
    if (this.#apiServer.kind === 'eks') {
      this.#enter(this.#apiServer, name, target);
    }
  }

  #enter(eks: Extract<ApiServerSettings, { kind: 'eks' }>, name: string, target: ScopedFunction): void {
    const id = toConstructId(name);
    if (eks.accessEntries) {
      new CfnAccessEntry(this, `${id}AccessEntry`, {
        clusterName: eks.cluster,
        principalArn: target.role.roleArn,
        kubernetesGroups: [toGroupName(name)],
        type: 'STANDARD',
      });
    }
    if (eks.securityGroup !== undefined && target.securityGroupId !== undefined) {
      new CfnSecurityGroupIngress(this, `${id}Ingress`, {
        groupId: eks.securityGroup,
        sourceSecurityGroupId: target.securityGroupId,
        ipProtocol: 'tcp',
        fromPort: httpsPort,
        toPort: httpsPort,
        description: 'functions of capi-serverless',
      });
    }
  }

  /** The secret has no value, because a kubeconfig must never be part of a template. */
  #createSecret(): string {
    const secret = new CfnSecret(this, 'Kubeconfig', {
      description:
        'Kubeconfig of the management cluster, with all certificates and the token in it; for capi-serverless',
    });
    acknowledge(secret, 'kubeconfig');
    new CfnOutput(this, 'KubeconfigSecret', { value: secret.ref, description: 'Put the kubeconfig in here' });
    return secret.ref;
  }
}

// The API server of an EKS cluster of the same CDK app, for the construct CapiServerless.
import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { EksApiServer } from './capi-serverless-props.ts';

/** What the clusters of aws-cdk-lib/aws-eks and aws-cdk-lib/aws-eks-v2 have in common. */
export interface EksClusterAttributes {
  readonly clusterName: string;
  readonly clusterEndpoint: string;
  readonly clusterCertificateAuthorityData: string;
  readonly clusterSecurityGroup?: ISecurityGroup;
}

/**
 * Returns `apiServer` for a cluster of the same app. `isInVpc` allows the functions access to the cluster's security
 * group, which requires `vpc`. The authentication mode of the cluster must include API.
 */
export function eksApiServer(
  { clusterName, clusterEndpoint, clusterCertificateAuthorityData, clusterSecurityGroup }: EksClusterAttributes,
  { isInVpc = false }: { readonly isInVpc?: boolean } = {},
): EksApiServer {
  return {
    kind: 'eks',
    cluster: clusterName,
    endpoint: clusterEndpoint,
    certificateAuthority: clusterCertificateAuthorityData,
    ...(isInVpc ? { securityGroup: clusterSecurityGroup } : {}),
  };
}

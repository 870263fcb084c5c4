import { RemovalPolicy } from 'aws-cdk-lib';
import type { Deployment } from './deployment-schema.ts';

/** What happens to a queue or a log group that the stack no longer has, or that is deleted with it. */
export function toRemovalPolicy({ removal }: Pick<Deployment, 'removal'>): RemovalPolicy {
  return removal === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}

// What the conversion function may read. It writes nothing.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { contractVersionsRule } from '../../shared/api/policy-rules.ts';

export const conversionRules: readonly PolicyRule[] = [contractVersionsRule];

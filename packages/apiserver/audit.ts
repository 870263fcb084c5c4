// The error for an invalid audit policy.
export { AuditPolicyError } from './audit/policy.ts';

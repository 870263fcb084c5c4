/** The kubelet registers with this taint, so that no Pod starts before the Node has its labels. */
export const uninitializedTaint = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' } as const;

export { findEtcd, INSTALL_ETCD } from './find-etcd.ts';
export { freePorts } from './free-ports.ts';
export { type EtcdMember, type EtcdMemberOptions, type EtcdServerTls, startEtcd } from './start-etcd.ts';

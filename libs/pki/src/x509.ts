// The library's container of services needs this in place before it loads; every import of it goes through this file.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';

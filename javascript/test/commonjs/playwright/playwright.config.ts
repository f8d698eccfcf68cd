import { defineConfig } from "@playwright/test";

export default defineConfig({ testDir: ".", globalSetup: "fakeplat/global-setup", reporter: "list", workers: 1 });

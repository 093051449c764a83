// A program that only starts.
package main

func main() {}

package run

// ErrorClass returns the class and the message of an ability's failure, as
// they stand in a step's receipt.
func ErrorClass(err error) (class, message string) { return classOf(err) }
